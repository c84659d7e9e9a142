import { JS, JVM, SHELL, type Sink } from './sink-kinds.ts'

const HTML: Sink[] = [
  {
    kind: 'raw-html',
    languages: JS,
    layer: 'plain',
    form: /\.(?:inner|outer)HTML\s*\+?=(?!=)(?!\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`$\n]*`)\s*;?\s*$)|\bdangerouslySetInnerHTML\b|\.insertAdjacentHTML\s*\([^,\n]*,(?!\s*["'][^"'\n]*["']\s*\))|\bdocument\.write(?:ln)?\s*\(/,
    hits: [
      'el.innerHTML = text',
      'el.innerHTML = `<b>${x}</b>`',
      '<p dangerouslySetInnerHTML={{ __html: x }} />',
      "el.insertAdjacentHTML('beforeend', x)",
    ],
    misses: ["el.innerHTML = ''", 'if (a.innerHTML === b) go()', 'el.textContent = x', "el.insertAdjacentHTML('beforeend', '<hr>')"],
  },
  {
    kind: 'raw-html',
    languages: ['python', 'ruby', 'go', 'php'],
    layer: 'plain',
    form: /\b(?:mark_safe|Markup)\s*\(\s*(?!["'][^"'\n]*["']\s*\))\S|\.html_safe\b|\btemplate\.(?:HTML|JS)\s*\(|\becho\s+[^;\n]*\$_(?:GET|POST|REQUEST|COOKIE)/,
    hits: ['return mark_safe(text)', 'text.html_safe', 'template.HTML(text)', 'echo "Hi " . $_GET["a"];'],
    misses: ['mark_safe("<br>")', 'escape(text)', 'echo htmlspecialchars($a);'],
  },
]

const TLS: Sink[] = [
  {
    kind: 'tls-off',
    languages: JS,
    layer: 'plain',
    form: /\b(?:rejectUnauthorized|strictSSL)['"]?\s*:\s*false\b|\bNODE_TLS_REJECT_UNAUTHORIZED\b['"\]\s]*[=:]\s*['"]?0/,
    hits: ['{ rejectUnauthorized: false }', "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'", "env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'"],
    misses: ['{ rejectUnauthorized: true }', '// rejectUnauthorized: false', 'delete process.env.NODE_TLS_REJECT_UNAUTHORIZED'],
  },
  {
    kind: 'tls-off',
    languages: ['python'],
    layer: 'code',
    form: /[(,]\s*verify\s*=\s*False\b|\b_create_unverified_context\b|\bCERT_NONE\b|\bcheck_hostname\s*=\s*False\b/,
    hits: ['requests.get(url, verify=False)', 'ssl._create_unverified_context()', 'ctx.verify_mode = ssl.CERT_NONE'],
    misses: ['self.verify = False', 'requests.get(url, verify=True)', '"verify=False"'],
  },
  {
    kind: 'tls-off',
    languages: ['go', 'rust', 'ruby', 'php', ...JVM, 'csharp'],
    layer: 'code',
    form: /\bInsecureSkipVerify\s*:\s*true\b|\bdanger_accept_invalid_(?:certs|hostnames)\s*\(\s*true|\bVERIFY_NONE\b|\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|0)\b|\bNoopHostnameVerifier\b|\bALLOW_ALL_HOSTNAME_VERIFIER\b|\bDangerousAcceptAnyServerCertificateValidator\b/,
    hits: [
      '&tls.Config{InsecureSkipVerify: true}',
      '.danger_accept_invalid_certs(true)',
      'http.verify_mode = OpenSSL::SSL::VERIFY_NONE',
      'curl_setopt($c, CURLOPT_SSL_VERIFYPEER, false);',
    ],
    misses: ['InsecureSkipVerify: false', '.danger_accept_invalid_certs(false)', 'curl_setopt($c, CURLOPT_SSL_VERIFYPEER, true);'],
  },
  {
    kind: 'tls-off',
    languages: SHELL,
    layer: 'plain',
    form: /\bcurl(?=\s)[^\n|;]*(?:\s--insecure\b|\s-[a-zA-Z]*k[a-zA-Z]*(?=\s))|\bwget\s[^\n|;]*--no-check-certificate\b|\b(?:NODE_TLS_REJECT_UNAUTHORIZED=["']?0|GIT_SSL_NO_VERIFY=["']?(?:1|true))|\bhttp\.sslVerify[= ]false/,
    hits: ['curl -sk https://a/', 'curl --insecure https://a/', 'wget --no-check-certificate u', 'export NODE_TLS_REJECT_UNAUTHORIZED=0'],
    misses: ['curl -fsSL https://a/k', 'curl https://a/-k-', 'echo "curl is fine"'],
  },
]

const KEEPING: Sink[] = [
  {
    kind: 'weak-hash',
    languages: [...JS, 'python', 'go', 'rust', ...JVM, 'csharp', 'ruby', 'php', ...SHELL],
    layer: 'plain',
    form: /(?=[^\n]*(?:passw|passwd|pwd|passphrase))[^\n]*(?:createHash\s*\(\s*["'](?:md5|sha-?1)|\bhashlib\.(?:md5|sha1)\b|(?<![\w>:])(?:md5|sha1)\s*\(|\b(?:md5|sha1)\.(?:Sum|New)\b|getInstance\s*\(\s*"(?:MD5|SHA-?1)|Digest::(?:MD5|SHA1)\b|\b(?:MD5|SHA1)\.(?:Create|HashData)\b|\b(?:md5|sha1)sum\b)/i,
    hits: ["createHash('md5').update(password)", 'hashlib.sha1(user.password.encode())', '$h = md5($password);', 'md5.Sum([]byte(pwd))'],
    misses: ["createHash('md5').update(file)", "createHash('sha256').update(password)", 'bcrypt.hash(password)', 'hashlib.md5(etag)'],
  },
  {
    kind: 'unsafe-deserialising',
    languages: ['python'],
    layer: 'code',
    form: /\b(?:c?[pP]ickle|dill|marshal)\.loads?\s*\(|\bjsonpickle\.decode\s*\(|\byaml\.(?:unsafe_load|load)\s*\((?![^\n]*(?:SafeLoader|CSafeLoader|BaseLoader))/,
    hits: ['pickle.loads(data)', 'yaml.load(text)', 'yaml.load(text, Loader=yaml.Loader)'],
    misses: ['yaml.safe_load(text)', 'yaml.load(text, Loader=yaml.SafeLoader)', 'json.loads(x)', 'pickle.dumps(x)'],
  },
  {
    kind: 'unsafe-deserialising',
    languages: [...JS, 'ruby', 'php', ...JVM, 'csharp'],
    layer: 'plain',
    form: /(?<![\w>$])unserialize\s*\((?![^\n]*allowed_classes)|\bMarshal\.load\s*\(|\bYAML\.(?:load|unsafe_load)\s*\(|\bnew\s+(?:ObjectInputStream|XMLDecoder)\s*\(|\bObjectInputStream\s*\(|\bnew\s+(?:BinaryFormatter|NetDataContractSerializer|LosFormatter)\b|\bTypeNameHandling\.(?:All|Auto|Objects)\b/,
    hits: [
      'unserialize($data);',
      'Marshal.load(data)',
      'YAML.load(text)',
      'new ObjectInputStream(in).readObject();',
      'new BinaryFormatter()',
    ],
    misses: ["unserialize($d, ['allowed_classes' => false]);", 'YAML.safe_load(text)', 'JSON.parse(text)', 'new ObjectOutputStream(out)'],
  },
  {
    kind: 'world-writable',
    languages: [...JS, 'python', 'go', 'rust', 'ruby', 'php'],
    layer: 'plain',
    form: /\b(?:f|l)?chmod(?:Sync|_R)?\s*\([^\n]*\b0?o?[0-7]?[0-7][0-7][2367]\b|\bset_mode\s*\(\s*0o[0-7]{0,2}[2367]\b|\bmode\s*[:=]\s*0o?[0-7]{0,1}[0-7][0-7][2367]\b|\bos\.(?:Chmod|Mkdir|MkdirAll|WriteFile|OpenFile)\([^\n]*\b0o?[0-7][0-7][2367]\)|\bumask\s*\(\s*0+o?0*\s*\)/i,
    hits: [
      'chmodSync(path, 0o777)',
      "fs.chmod(path, '666')",
      'os.chmod(p, 0o777)',
      'os.MkdirAll(p, 0777)',
      'mkdirSync(p, { mode: 0o777 })',
      'os.umask(0)',
    ],
    misses: [
      'chmodSync(path, 0o755)',
      'os.chmod(p, 0o600)',
      'os.MkdirAll(p, 0755)',
      '{ mode: 0o644 }',
      'os.umask(0o022)',
      'chmodSync(path, mode)',
    ],
  },
  {
    kind: 'world-writable',
    languages: SHELL,
    layer: 'code',
    form: /\bchmod\s+(?:-\S+\s+)*(?:0?[0-7]?[0-7][0-7][2367]\b|[ugo]*[ao][ugo]*\+[rx]*w)|(?:^|[;&|]\s*)umask\s+0+\b/,
    hits: ['chmod 777 a', 'chmod -R 0666 a', 'chmod a+w b', 'chmod o+rw b', 'umask 000'],
    misses: ['chmod 755 a', 'chmod +x a', 'chmod u+w b', 'umask 022', 'chmod a+x b'],
  },
  {
    kind: 'world-writable',
    languages: JVM,
    layer: 'code',
    form: /\.setWritable\s*\(\s*true\s*,\s*false\s*\)|\bPosixFilePermission\.OTHERS_WRITE\b/,
    hits: ['file.setWritable(true, false);'],
    misses: ['file.setWritable(true);', 'file.setWritable(true, true);'],
  },
]

const PATHS: Sink[] = [
  {
    kind: 'path-from-input',
    languages: JS,
    layer: 'code',
    form: /(?:\bpath\.(?:join|resolve)|(?<![\w.$])(?:join|resolve)|\b(?:readFile|readFileSync|writeFile|writeFileSync|createReadStream|createWriteStream|unlink|unlinkSync|sendFile|download))\s*\((?![^\n]*\bbasename\s*\()[^\n]*\b(?:req|request|ctx)\.(?:params|query|body|headers|url)\b/,
    hits: ['res.sendFile(path.join(root, req.params.name))', 'readFileSync(req.query.file)'],
    misses: ['path.join(root, name)', 'join(root, basename(req.params.name))', 'list.join(req.query.separator)'],
  },
  {
    kind: 'path-from-input',
    languages: ['python', 'ruby', 'go', 'php', ...JVM],
    layer: 'code',
    form: /\b(?:os\.path\.join|open|send_file|Path)\s*\((?![^\n]*secure_filename)[^\n]*\brequest\.(?:args|form|values|files|GET|POST|json)\b|\bFile\.(?:join|read|open)\s*\([^\n]*\bparams\[|\bfilepath\.Join\s*\([^\n]*\br\.(?:URL|FormValue|PathValue)\b|\b(?:include|require)(?:_once)?\b[^\n;]*\$_(?:GET|POST|REQUEST|COOKIE)|\b(?:fopen|file_get_contents|readfile)\s*\([^\n;]*\$_(?:GET|POST|REQUEST|COOKIE)|\bnew\s+File\s*\([^\n]*\.getParameter\s*\(/,
    hits: [
      'open(os.path.join(root, request.args["f"]))',
      'File.read(params[:f])',
      'filepath.Join(root, r.URL.Path)',
      'include $_GET["p"];',
      'new File(request.getParameter("f"))',
    ],
    misses: ['open(os.path.join(root, name))', 'secure_filename(request.files["f"])', 'File.read(path)', 'filepath.Join(root, name)'],
  },
]

/** Pages, connections, passwords, objects, files and paths. */
export const OTHER_SINKS: readonly Sink[] = [...HTML, ...TLS, ...KEEPING, ...PATHS]
