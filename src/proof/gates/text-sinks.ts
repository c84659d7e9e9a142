import { JS, JVM, SHELL, type Sink } from './sink-kinds.ts'

// A text that begins as a question to a database does.
const SQL = String.raw`\s*(?:SELECT\b[^\n]{0,400}?\bFROM\b|INSERT\s+INTO\b|UPDATE\s+\S{1,100}\s+SET\b|DELETE\s+FROM\b)`
const DOUBLE = String.raw`"${SQL}(?:[^"\\\n]|\\.)*"`
const SINGLE = String.raw`'${SQL}(?:[^'\\\n]|\\.)*'`
const sql = (form: string): RegExp => new RegExp(form, 'i')

const CODE: Sink[] = [
  {
    kind: 'dynamic-code',
    languages: JS,
    layer: 'code',
    form: /(?<![\w.$])eval\s*\(|\bnew\s+Function\s*\(|\bvm\.(?:runIn\w+|compileFunction)\s*\(|\bset(?:Timeout|Interval)\s*\(\s*['"`]/,
    hits: ['eval(text)', 'const f = new Function("a", body)', 'vm.runInNewContext(code)', 'setTimeout("go()", 5)'],
    misses: [
      'redis.eval(script)',
      'evaluate(x)',
      'page.$eval("a", f)',
      'say("eval(x)")',
      '// eval(x)',
      'setTimeout(go, 5)',
      'new FunctionTable()',
    ],
  },
  {
    kind: 'dynamic-code',
    languages: ['python'],
    layer: 'code',
    form: /(?<![\w.])(?<!def )(?:eval|exec)\s*\(/,
    hits: ['eval(text)', 'x = exec(code)'],
    misses: ['model.eval()', 'ast.literal_eval(x)', 'def eval(self):', '"eval(x)"', '# exec(x)'],
  },
  {
    kind: 'dynamic-code',
    languages: ['ruby'],
    layer: 'code',
    form: /(?<![\w.])eval\s*\(|\b(?:instance|class|module)_eval\s*\(\s*["'a-z_]/,
    hits: ['eval(code)', 'klass.class_eval("def x; end")'],
    misses: ['klass.class_eval do', 'evaluate(x)'],
  },
  {
    kind: 'dynamic-code',
    languages: ['php'],
    layer: 'code',
    form: /(?<![\w>:$])eval\s*\(|\bcreate_function\s*\(/,
    hits: ['eval($x);'],
    misses: ['$this->eval($x);', '$eval($x);'],
  },
  {
    kind: 'dynamic-code',
    languages: SHELL,
    layer: 'code',
    form: /(?:^|[;&|(]|\b(?:then|do|else))\s*eval\s/,
    hits: ['eval "$cmd"', 'if x; then eval "$cmd"; fi'],
    misses: ['echo eval it', 'evaluate x'],
  },
  {
    kind: 'dynamic-code',
    languages: [...JVM, 'csharp'],
    layer: 'code',
    form: /\bgetEngineByName\s*\(|\bCSharpScript\.(?:Evaluate|Run)Async\s*\(/,
    hits: ['manager.getEngineByName("js")'],
    misses: ['engineByName()'],
  },
]

const COMMANDS: Sink[] = [
  {
    kind: 'shell-string',
    languages: JS,
    layer: 'plain',
    form: /(?:(?<![\w.$])|\b(?:child_process|childProcess|cp)\.)(?:exec|execSync)\s*\(\s*(?:`[^`\n]*\$\{|"[^"\n]*"\s*\+|'[^'\n]*'\s*\+|[\w.[\]]+\s*\+)|\bspawn(?:Sync)?\s*\([^\n]{0,400}(?:\$\{|\+)[^\n]{0,400}\bshell:\s*true/,
    hits: ['exec(`git log ${ref}`)', "cp.execSync('ls ' + folder)", 'spawn(`ls ${x}`, { shell: true })', 'execSync(base + " -l")'],
    misses: ["execSync('git status')", 'pattern.exec(a + b)', 'db.exec(`x`)', "execFile('git', [`--x=${a}`])", 'spawn("ls", [`${x}`])'],
  },
  {
    kind: 'shell-string',
    languages: ['python'],
    layer: 'plain',
    form: /\bos\.(?:system|popen)\s*\(\s*(?:f['"]|[\w.]+\s*[+%]|(?:"[^"\n]*"|'[^'\n]*')\s*(?:\+|%|\.format))|\bsubprocess\.\w+\s*\(\s*(?:f['"]|[\w.]+\s*[+%]|(?:"[^"\n]*"|'[^'\n]*')\s*(?:\+|%|\.format))[^\n]{0,400}shell\s*=\s*True/,
    hits: ['os.system(f"rm {x}")', 'os.popen("ls " + x)', 'subprocess.run("ls %s" % x, shell=True)'],
    misses: ['os.system("ls")', 'subprocess.run(["ls", x])', 'subprocess.run("ls | wc", shell=True)'],
  },
  {
    kind: 'shell-string',
    languages: ['ruby'],
    layer: 'plain',
    form: /(?<![\w.])(?:system|exec|spawn)[\s(]+"[^"\n]*#\{|(?:^|[=\s(])`[^`\n]*#\{|%x[({[][^\n]*#\{/,
    hits: ['system("ls #{x}")', 'out = `git #{ref}`'],
    misses: ['system("ls", x)', 'puts "a #{b}"'],
  },
  {
    kind: 'shell-string',
    languages: ['php'],
    layer: 'plain',
    form: /(?<![\w>:$])(?:shell_exec|exec|system|passthru|popen|proc_open)\s*\([^;\n]*(?:\.\s*\$|"[^"\n]*\$)/,
    hits: ['exec("ls $dir");', "system('ls ' . $x);"],
    misses: ["exec('ls');", '$db->exec("x $y");'],
  },
  {
    kind: 'shell-string',
    languages: ['go'],
    layer: 'plain',
    form: /\bexec\.Command(?:Context)?\([^\n]{0,100}"(?:ba|z)?sh"\s*,\s*"-c"\s*,\s*(?:[^"`\s]|"[^"\n]*"\s*\+)/,
    hits: ['exec.Command("sh", "-c", cmd)', 'exec.Command("bash", "-c", "ls " + x)'],
    misses: ['exec.Command("ls", x)', 'exec.Command("sh", "-c", "ls | wc")'],
  },
  {
    kind: 'shell-string',
    languages: [...JVM, 'csharp'],
    layer: 'plain',
    form: /\bgetRuntime\(\)\.exec\([^\n]*\+|\bProcess\.Start\([^\n]*(?:\$"|"\s*\+)/,
    hits: ['Runtime.getRuntime().exec("ls " + x);', 'Process.Start("cmd", $"/c {x}");'],
    misses: ['Runtime.getRuntime().exec(argv);', 'Process.Start("cmd");'],
  },
]

const QUERIES: Sink[] = [
  {
    kind: 'sql-string',
    languages: JS,
    layer: 'plain',
    form: sql(String.raw`(?<![\w)\]>])\x60${SQL}[^\x60\n]*\$\{|(?:${DOUBLE}|${SINGLE})\s*\+\s*[^\s"'\x60]`),
    hits: ['db.query(`SELECT * FROM t WHERE a = ${a}`)', `db.run("DELETE FROM t WHERE a = '" + a)`],
    misses: [
      'sql`SELECT * FROM t WHERE a = ${a}`',
      'db.query("SELECT * FROM t WHERE a = ?", [a])',
      'log(`Chosen from ${x}`)',
      '"SELECT a FROM t " + "WHERE b"',
    ],
  },
  {
    kind: 'sql-string',
    languages: ['python'],
    layer: 'plain',
    form: sql(String.raw`\b[fr]{1,2}['"]{1,3}${SQL}[^\n]*\{|(?:${DOUBLE}|${SINGLE})\s*(?:[+%]\s*[^\s"']|\.format\s*\()`),
    hits: [
      'cur.execute(f"SELECT * FROM t WHERE a = {a}")',
      'cur.execute("SELECT * FROM t WHERE a = %s" % a)',
      "q = 'DELETE FROM t WHERE a = {}'.format(a)",
    ],
    misses: ['cur.execute("SELECT * FROM t WHERE a = %s", (a,))', 'print(f"select {x}")'],
  },
  {
    kind: 'sql-string',
    languages: ['ruby'],
    layer: 'plain',
    form: sql(String.raw`"${SQL}[^"\n]*#\{`),
    hits: ['query("SELECT * FROM t WHERE a = #{a}")'],
    misses: ['query("SELECT * FROM t WHERE a = ?", a)'],
  },
  {
    kind: 'sql-string',
    languages: ['php'],
    layer: 'plain',
    form: sql(String.raw`"${SQL}[^"\n]*\$\w|(?:${DOUBLE}|${SINGLE})\s*\.\s*\$`),
    hits: ['$db->query("SELECT * FROM t WHERE a = $a");', "$q = 'DELETE FROM t WHERE a = ' . $a;"],
    misses: ['$db->prepare("SELECT * FROM t WHERE a = ?");'],
  },
  {
    kind: 'sql-string',
    languages: ['go', 'rust'],
    layer: 'plain',
    form: sql(String.raw`\b(?:Sprintf\(|format!\()\s*["\x60]${SQL}[^"\x60\n]*(?:%[svdq]|\{)|${DOUBLE}\s*\+\s*[^\s"\x60]`),
    hits: [
      'fmt.Sprintf("SELECT * FROM t WHERE a = %s", a)',
      'format!("DELETE FROM t WHERE a = {}", a)',
      '"SELECT * FROM t WHERE a = " + a',
    ],
    misses: ['db.Query("SELECT * FROM t WHERE a = $1", a)'],
  },
  {
    kind: 'sql-string',
    languages: [...JVM, 'csharp'],
    layer: 'plain',
    form: sql(String.raw`${DOUBLE}\s*\+\s*[^\s"]|\bString\.format\(\s*"${SQL}|\$@?"${SQL}[^"\n]*\{`),
    hits: [
      'st.execute("SELECT * FROM t WHERE a = " + a);',
      'String.format("SELECT * FROM t WHERE a = %s", a)',
      '$"DELETE FROM t WHERE a = {a}"',
    ],
    misses: ['prepare("SELECT * FROM t WHERE a = ?")', '"SELECT a FROM t " + "WHERE b"'],
  },
]

/** Text that becomes code, a command or a question to a database. */
export const TEXT_SINKS: readonly Sink[] = [...CODE, ...COMMANDS, ...QUERIES]
