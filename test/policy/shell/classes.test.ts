import { describe, expect, test } from 'vitest'
import { checkRows, facts, ROOT, type Row, read, touched } from '../../support/shell.ts'

const plain = (commands: string): Row[] => commands.split('\n').map((command): Row => [command.trim(), 'read-only', ''])
const other = (commands: string): Row[] => commands.split('\n').map((command): Row => [command.trim(), 'other', ''])

describe('programs that only look', () => {
  checkRows(
    'P-30',
    'looking is looking, with any option of the row',
    plain(`basename a/b.ts .ts
      cat -n a
      cksum a
      cmp a b
      comm -12 a b
      cut -d / -f 1 a
      df -h
      diff -u a b
      dirname a/b
      du -sh node_modules
      expand a
      expr 1 + 1
      egrep x a
      fgrep x a
      fold -w 80 a
      grep -rn --include=*.ts x src
      groups
      head -n 5 a
      id -u
      join a b
      jq .version package.json
      ls -la --color=auto
      md5sum a
      nl a
      nproc
      od -c a
      paste a b
      pr a
      readlink -f a
      realpath a
      rev a
      seq 1 10
      sha256sum a
      sleep 1
      stat -c %s a
      strings a
      sum a
      tac a
      tail -f a
      tr a b
      tsort a
      type ls
      uname -a
      unexpand a
      uptime
      wc -l a
      which node
      whoami
      /bin/ls
      /usr/bin/cat a
      /usr/local/bin/rg x
      sort -rn a
      sort -k2,2 -t / a
      shuf -n 1 a
      iconv -f utf8 -t latin1 a
      base64 -d a
      uniq -c a
      xxd a
      date
      date +%s
      date -u -d yesterday +%F
      hostname
      hostname -f
      tree -L 2
      file a
      rg -n x src
      rg --files
      fd -e ts
      find . -name x -type f -print0
      find src -maxdepth 2 ( -name a -o -name b ) -prune
      sed -n 1,5p a
      sed -n /a/,/b/p a
      sed s/a/b/g a
      sed -E s/(a)/\\1/ a
      sed -e s/a/b/ -e 3d a
      sed 5q a
      sed y/abc/xyz/ a
      sed s|a|b|2p a
      awk -F, {print$1} a
      awk NR==1 a
      awk -v n=1 {x+=$1}END{print(x)} a
      tar -tf a.tar
      tar tzf a.tgz
      tar --list --file a.tar
      unzip -l a.zip
      zipinfo a.zip
      node --version
      npm --version
      python3 --version
      git --help
      docker --version
      docker ps -a
      docker images
      docker logs -n 5 c
      podman version
      npm ls --depth=0
      npm list
      pip list
      pip show requests
      pip freeze
      cargo tree
      cargo metadata --format-version 1
      go list ./...
      brew list
      brew info jq
      terraform show
      terraform validate`).map(([command, ...rest]): Row => [command.replace(/[(){}|$]/g, '\\$&').replace(/=\*/, '=\\*'), ...rest]),
  )

  checkRows('P-30', 'those that ask a server name it', [
    ['kubectl get pods -n x', 'read-only', '', ['net.get *']],
    ['kubectl describe pod x', 'read-only', '', ['net.get *']],
    ['gh pr list', 'read-only', '', ['net.get github.com']],
    ['gh pr view 1 --json title', 'read-only', '', ['net.get github.com']],
    ['helm list', 'read-only', '', ['net.get *']],
  ])

  checkRows('P-30', 'anything outside the condition takes the class away', [
    ...other(`jq env a
      jq $ENV.PATH a
      sort -o out a
      sort -ro out a
      sort --output=out a
      sort --outp=out a
      sort --o=out a
      sort -T /tmp a
      sort --compress-program=id a
      sort --comp id a
      shuf -o out a
      iconv -o out a
      base64 -o out a
      uniq a b
      xxd a b
      xxd -r a
      xxd -revert a
      date -s now
      date --set=now
      date 010100002030
      hostname new
      hostname -F f
      tree -o out
      tree -R
      file -C
      file -z a
      rg --pre cat x
      rg --search-zip x
      rg -z x
      rg --hostname-bin id x
      fd -x rm
      fd -X rm
      fd --exec rm
      fd --exec-batch rm
      find . -fprint out
      find . -fls out
      find . -weird
      sed -f script a
      sed w\\ out a
      sed s/a/b/w\\ out a
      sed s/a/id/e a
      sed e a
      sed r\\ /etc/passwd a
      sed 1e\\ id a
      sed --in-place=x/y s/a/b/ a
      sed a\\ x a
      awk -f prog a
      awk -i inplace 1 a
      awk -E prog
      awk --file=prog a
      gawk --load x 1 a
      gawk -o 1 a
      tar -cf a.tar b
      npm --version --x
      node x.js
      docker -H tcp://x ps
      pip list --python x
      go list -toolexec id
      cargo --config x tree
      kubectl get secret x
      kubectl get pods,secrets
      npm run build
      make
      cargo build
      less a
      vim a
      ps aux
      ./ls
      /tmp/ls
      bin/cat a
      /usr/bin/../../tmp/ls
      command -V ls`).map(([command, ...rest]): Row => [command.replace(/\$ENV/, '\\$ENV'), ...rest]),
    ['awk \'BEGIN{system("id")}\'', 'other', ''],
    ['awk \'{print > "out"}\' a', 'other', ''],
    ['awk \'{print >> "out"}\' a', 'other', ''],
    ['awk \'{print | "sh"}\' a', 'other', ''],
    ['awk \'{"id" | getline x}\' a', 'other', ''],
    ['awk \'BEGIN{print ENVIRON["X"]}\'', 'other', ''],
    ['awk \'@load "x"\' a', 'other', ''],
    ['awk \'BEGIN{ARGV[1]="/etc/shadow";ARGC=2}1\'', 'other', ''],
    ['awk \'{print /"/ > "out" "}"}\' a', 'other', ''],
    ['awk \'{ printf "%s", $1 > "/tmp/x" }\' a', 'other', ''],
    ["awk '$1 > 5 {print $2}' a", 'read-only', ''],
    ['awk \'{print "->" $1}\' a', 'read-only', ''],
    ['awk \'BEGIN { # "\n print "x" > "out" # "\n}\'', 'other', ''],
    ['jq \'import "/home/u/x" as $d; $d\' a', 'other', ''],
    ['awk "$x" a', 'other', 'ambiguous'],
    ["sed -n '$p' a", 'read-only', ''],
    ['sed "$x" a', 'other', 'ambiguous'],
    ["sed 's/a/b/;w out' a", 'other', ''],
    ["sed 's/[/]/x/e' a", 'other', ''],
    ["sed 's/[/]/e/' a", 'other', ''],
    ["sed -n 'p;e id' a", 'other', ''],
    ["sed '/a/{p;e id\n}' a", 'other', ''],
    ['find . -delete', 'destructive', 'catastrophic destructive'],
    ['find . -name "*.pyc" -delete', 'destructive', 'destructive'],
    ['find . -name -delete', 'destructive', 'destructive'],
  ])
})

describe('facets of reading', () => {
  checkRows('P-31', 'operands are read, listed, or text', [
    ['cat a b', 'read-only', '', ['read /w/p/a', 'read /w/p/b']],
    ['cat -', 'read-only', '', []],
    ['echo /etc/passwd', 'read-only', '', []],
    ['tr a /etc', 'read-only', '', []],
    ['basename /etc/passwd', 'read-only', '', []],
    ['test -f /etc/passwd', 'read-only', '', []],
    ['which /bin/ls', 'read-only', '', []],
    ['grep /etc a', 'read-only', '', ['read /w/p/a']],
    ['grep -e /etc a', 'read-only', '', ['read /w/p/a']],
    ['grep -f pats a', 'read-only', '', ['read /w/p/pats', 'read /w/p/a']],
    ['grep --file=pats a', 'read-only', '', ['read /w/p/pats', 'read /w/p/a']],
    ['grep -r x', 'read-only', '', ['read* /w/p']],
    ['grep -rn x src lib', 'read-only', '', ['read* /w/p/src', 'read* /w/p/lib']],
    ['grep -d recurse x src', 'read-only', '', ['read* /w/p/src']],
    ['rg x', 'read-only', '', ['read* /w/p']],
    ['rg x src', 'read-only', '', ['read* /w/p/src']],
    ['cat a | rg x', 'read-only', '', ['read /w/p/a']],
    ['rg --ignore-file f x', 'read-only', '', ['read /w/p/f', 'read* /w/p']],
    ['jq . a.json', 'read-only', '', ['read /w/p/a.json']],
    ['jq --slurpfile x f . a', 'read-only', '', ['read /w/p/f', 'read /w/p/a']],
    ['jq --arg x /etc . a', 'read-only', '', ['read /w/p/a']],
    ['jq -f prog a', 'read-only', '', ['read /w/p/prog', 'read /w/p/a']],
    ['sed -n p a', 'read-only', '', ['read /w/p/a']],
    ['awk 1 a x=1', 'read-only', '', ['read /w/p/a']],
    ['ls /etc', 'read-only', '', ['list /etc']],
    ['ls -R src', 'read-only', '', ['list* /w/p/src']],
    ['find /etc -name x', 'read-only', '', ['list* /etc']],
    ['du -sh /', 'read-only', '', ['list* /']],
    ['tree src', 'read-only', '', ['list* /w/p/src']],
    ['fd x src', 'read-only', '', ['list* /w/p/src']],
    ['stat /etc/passwd', 'read-only', '', ['list /etc/passwd']],
    ['readlink a', 'read-only', '', ['list /w/p/a']],
    ['date -r a', 'read-only', '', ['read /w/p/a']],
    ['wc --files0-from=f', 'read-only', '', ['read /w/p/f']],
    ['diff a /etc/passwd', 'read-only', '', ['read /w/p/a', 'read /etc/passwd']],
    ['head -c 5 ../x', 'read-only', '', ['read /w/p/../x']],
    ['cat ./a//b/./c', 'read-only', '', ['read /w/p/a/b/c']],
    ['cut -d / -f 2 a', 'read-only', '', ['read /w/p/a']],
    ['cat -- -n', 'read-only', '', ['read /w/p/-n']],
  ])

  checkRows('P-31', 'what would print the variables reads secrets', [
    ['env', 'read-only', '', ['secret *']],
    ['env A=1', 'read-only', '', ['secret *']],
    ['/usr/bin/env', 'read-only', '', ['secret *']],
    ['timeout 5 env', 'read-only', '', ['secret *']],
    ['printenv', 'read-only', '', ['secret *']],
    ['printenv API_KEY', 'read-only', '', ['secret API_KEY']],
    ['printenv PATH', 'read-only', '', []],
    ['set', 'read-only', '', ['secret *']],
    ['export -p', 'read-only', '', ['secret *']],
    ['export', 'read-only', '', ['secret *']],
    ['declare -x', 'read-only', '', ['secret *']],
    ['declare -p', 'read-only', '', ['secret *']],
    ['declare', 'read-only', '', ['secret *']],
    ['typeset', 'read-only', '', ['secret *']],
    ['readonly -p', 'read-only', '', ['secret *']],
    ['compgen -v', 'other', '', ['secret *']],
    ['compgen -e', 'other', '', ['secret *']],
    ['env | grep KEY', 'read-only', '', ['secret *']],
    ['sh -c env', 'read-only', '', ['secret *']],
    ['echo $(env)', 'read-only', '', ['secret *']],
  ])

  test('P-31 a recursive search says which names it passes over', () => {
    const search = (command: string): unknown =>
      read(command)
        .facets.filter(facet => facet.recursive)
        .map(({ excludes, only }) => ({ excludes, only }))
    expect(search('rg x')).toEqual([{ excludes: ['.*', '.*/'], only: undefined }])
    expect(search('rg --hidden x')).toEqual([{ excludes: undefined, only: undefined }])
    expect(search('rg -uu x')).toEqual([{ excludes: undefined, only: undefined }])
    expect(search("rg --hidden -g '!.env' x")).toEqual([{ excludes: ['.env'], only: undefined }])
    expect(search("grep -r --exclude='.env*' --exclude-dir=secrets x .")).toEqual([{ excludes: ['.env*', 'secrets/'], only: undefined }])
    expect(search("grep -r --include='*.ts' x .")).toEqual([{ excludes: undefined, only: ['*.ts'] }])
  })
})

describe('git', () => {
  checkRows(
    'P-32',
    'looking at history and tree is read-only',
    plain(`git status
      git diff
      git diff HEAD~1
      git diff --stat main...x
      git log --oneline -n 5
      git log -p -S text
      git show HEAD
      git shortlog -sn
      git blame a
      git rev-parse --show-toplevel
      git rev-list --count HEAD
      git describe --tags
      git merge-base a b
      git ls-files
      git ls-tree HEAD
      git for-each-ref
      git show-ref
      git check-ignore a
      git cat-file -p HEAD
      git grep x
      git symbolic-ref HEAD
      git archive --list
      git stash list
      git stash show
      git worktree list
      git submodule status
      git notes list
      git remote
      git remote -v
      git remote get-url origin
      git branch
      git branch -a
      git branch --show-current
      git branch --list x
      git branch --contains abc
      git tag
      git tag -l x
      git tag --sort=v:refname
      git reflog
      git reflog show
      git config --get user.name
      git config --list
      git config user.name
      git config get user.name
      git version
      git --no-pager log
      git -P diff
      git --no-optional-locks status
      git diff --no-ext-diff --exit-code
      git diff --output-indicator-new=x`),
  )

  checkRows('P-32', 'what writes, runs or could be an alias is not', [
    ['git diff --output=x', 'other', '', ['create /w/p/x']],
    ['git diff --outp=x', 'other', ''],
    ['git log --output=x', 'other', ''],
    ['git diff --ext-diff', 'other', ''],
    ['git diff --ext', 'other', ''],
    ['git show --textconv', 'other', ''],
    ['git log --show-signature', 'other', ''],
    ['git diff -O x', 'other', ''],
    ['git cat-file --filters x', 'other', ''],
    ['git cat-file --textconv x', 'other', ''],
    ['git stash show --ext-diff', 'other', ''],
    ['git grep -O x', 'other', ''],
    ['git grep -Oless x', 'other', ''],
    ['git grep --open-files-in-pager=id x', 'other', ''],
    ['git grep --open x', 'other', ''],
    ['git symbolic-ref HEAD x', 'other', ''],
    ['git symbolic-ref -d x', 'other', ''],
    ['git stash', 'other', ''],
    ['git stash pop', 'other', ''],
    ['git worktree add ../x', 'other', ''],
    ['git remote add x y', 'other', ''],
    ['git branch x', 'other', ''],
    ['git branch -m x', 'other', ''],
    ['git branch --edit-description', 'other', ''],
    ['git tag v1', 'other', ''],
    ['git tag -a v1 -m x', 'other', ''],
    ['git commit -m x', 'other', ''],
    ['git add -A', 'other', ''],
    ['git merge x', 'other', ''],
    ['git checkout -b x', 'other', ''],
    ['git checkout main', 'other', ''],
    ['git lol', 'other', 'ambiguous'],
    ['git st', 'other', 'ambiguous'],
    ['git', 'other', ''],
    ['git bisect run make', 'other', 'ambiguous'],
    ['git submodule foreach id', 'other', 'ambiguous'],
    ['git rebase -x id main', 'destructive', 'ambiguous destructive'],
    ['git difftool', 'other', 'ambiguous'],
  ])

  checkRows('P-32', 'paths, folders and remotes are facets', [
    ['git show HEAD:.env', 'read-only', '', ['read /w/p/.env']],
    ['git diff -- src/a.ts', 'read-only', '', ['read /w/p/src/a.ts']],
    ['git diff HEAD -- ../x', 'read-only', '', ['read /w/p/../x']],
    ['git diff --no-index a /etc/passwd', 'read-only', '', ['read /w/p/a', 'read /etc/passwd']],
    ['git log HEAD~3..HEAD', 'read-only', '', []],
    ['git -C /other status', 'read-only', '', ['list /other']],
    ['git -C sub diff -- a', 'read-only', '', ['list /w/p/sub', 'read /w/p/sub/a']],
    ['git -C $x status', 'read-only', 'ambiguous'],
    ['git ls-files src', 'read-only', '', ['list /w/p/src']],
    ['git blame src/a', 'read-only', '', ['read /w/p/src/a']],
    ["git show ':(top)a'", 'read-only', '', ['read /w/p/a']],
    ['git rm a', 'other', '', ['delete /w/p/a']],
    ['git mv a b', 'other', '', ['move /w/p/a', 'move /w/p/b']],
    ['git fetch', 'other', '', ['net.get *']],
    ['git pull origin main', 'other', '', ['net.get *']],
    ['git push', 'other', '', ['net.send *']],
    ['git clone https://github.com/a/b', 'other', '', ['create* /w/p/b', 'net.get github.com']],
    ['git clone git@github.com:a/b.git c', 'other', '', ['create* /w/p/c', 'net.get github.com']],
    ['git ls-remote', 'other', '', ['net.get *']],
    ['git remote show origin', 'other', '', ['net.get *']],
    ['git remote update', 'other', '', ['net.get *']],
    ['git submodule update --init', 'other', '', ['net.get *']],
    ['git fetch --upload-pack=id', 'other', 'ambiguous', ['net.get *']],
    ['git fetch --upload-p id', 'other', 'ambiguous', ['net.get *']],
    ['git push --receive-pack=id', 'other', 'ambiguous', ['net.send *']],
    ["git clone 'ext::sh -c id'", 'other', 'ambiguous'],
    ['git clone -c core.pager=id x', 'other', 'ambiguous'],
    ['git clone -u id x', 'other', 'ambiguous'],
    ['git config user.name x', 'other', '', ['write /w/p/.git/config']],
    ['git config --global core.pager id', 'other', '', ['write /home/u/.gitconfig']],
    ['git config --unset x', 'other', '', ['write /w/p/.git/config']],
    ['git config --get github.token', 'read-only', '', ['secret github.token']],
    ['git config http.https://x.extraheader', 'read-only', '', ['secret http.https://x.extraheader']],
  ])
})

describe('file effects', () => {
  checkRows('P-33', 'they are judged by their paths', [
    ['cp a b', 'file-effect', '', ['read /w/p/a', 'create /w/p/b']],
    ['cp -r a b', 'file-effect', '', ['read* /w/p/a', 'create* /w/p/b']],
    ['cp a b dir', 'file-effect', '', ['read /w/p/a', 'create /w/p/dir/a', 'read /w/p/b', 'create /w/p/dir/b']],
    ['cp a dir/', 'file-effect', '', ['read /w/p/a', 'create /w/p/dir/a']],
    ['cp -t dir a', 'file-effect', '', ['read /w/p/a', 'create /w/p/dir/a']],
    ['cp --target-directory=/etc a', 'file-effect', '', ['read /w/p/a', 'create /etc/a']],
    ['mv a b', 'file-effect', '', ['move /w/p/a', 'create /w/p/b']],
    ['rm a', 'file-effect', '', ['delete /w/p/a']],
    ['rm -f a', 'file-effect', '', ['delete /w/p/a']],
    ['rmdir a', 'file-effect', '', ['delete /w/p/a']],
    ['mkdir -p a/b', 'file-effect', '', ['create /w/p/a/b']],
    ['mkdir -m 755 a', 'file-effect', '', ['create /w/p/a']],
    ['touch a', 'file-effect', '', ['create /w/p/a']],
    ['touch -r b a', 'file-effect', '', ['list /w/p/b', 'create /w/p/a']],
    ['ln -s a b', 'file-effect', '', ['link /w/p/a', 'create /w/p/b']],
    ['ln -s /etc/passwd b', 'file-effect', '', ['link /etc/passwd', 'create /w/p/b']],
    ['ln -s ../x dir/b', 'file-effect', '', ['link /w/p/dir/../x', 'create /w/p/dir/b']],
    ['ln /etc/passwd', 'file-effect', '', ['link /etc/passwd', 'create /w/p/passwd']],
    ['tee a', 'file-effect', '', ['create /w/p/a']],
    ['tee -a a b', 'file-effect', '', ['create /w/p/a', 'create /w/p/b']],
    ['chmod +x a', 'file-effect', '', ['write /w/p/a']],
    ['chmod -x a', 'file-effect', '', ['write /w/p/a']],
    ['chmod 0644 a b', 'file-effect', '', ['write /w/p/a', 'write /w/p/b']],
    ['chmod u+s a', 'other', '', ['write /w/p/a']],
    ['chmod 4755 a', 'other', '', ['write /w/p/a']],
    ['chmod 2755 a', 'other', ''],
    ['chmod 1777 a', 'file-effect', ''],
    ['chmod -R 755 a', 'other', ''],
    ['chmod --reference=b a', 'file-effect', '', ['list /w/p/b', 'write /w/p/a']],
    ["sed -i 's/a/b/' f", 'file-effect', '', ['write /w/p/f']],
    ["sed -i.bak 's/a/b/' f", 'file-effect', '', ['write /w/p/f', 'create /w/p/f.bak']],
    ["sed -i '' 's/a/b/' f", 'file-effect', '', ['write /w/p/f']],
    ["sed -i -e '3d' f g", 'file-effect', '', ['write /w/p/f', 'write /w/p/g']],
    ["sed -i '2a hello' f", 'file-effect', '', ['write /w/p/f']],
    ["sed -i 's/a/b/w /etc/x' f", 'other', ''],
    ["sed -i'/etc/*' 's/a/b/' f", 'other', ''],
    ["sed -ni 's/a/b/p' f", 'file-effect', '', ['write /w/p/f']],
    ['cp --weird a b', 'other', ''],
    ['cp -b -S /../../x a b', 'other', ''],
    ['cp --parents x/a dir', 'file-effect', '', ['read* /w/p/x/a', 'create* /w/p/dir']],
    ['cp -l a b', 'file-effect', '', ['link /w/p/a', 'create /w/p/b']],
    ['rm --weird a', 'other', ''],
    ['git log | tee out', 'file-effect', '', ['create /w/p/out']],
    ['rm "$x"', 'file-effect', 'ambiguous'],
    ['./rm a', 'other', ''],
  ])

  test('P-33 rm -r of what the run itself made is no destruction, unless the path leads elsewhere', () => {
    const own = { createdByRun: [`${ROOT}/tmp`] }
    expect(read('rm -rf tmp/a tmp', own).class).toBe('file-effect')
    expect(read('rm -rf tmp other', own).class).toBe('destructive')
    expect(read('rm -rf tmp/../src', own).class).toBe('destructive')
    const link = { real: '/etc', exists: true, type: 'link' as const, device: 1, inode: 1, links: 1 }
    expect(read('rm -rf tmp/link', { ...own, paths: { [`${ROOT}/tmp/link`]: link } }).class).toBe('destructive')
  })

  test('P-33 a copy into a folder that is known lands inside it', () => {
    const folder = { real: `${ROOT}/dir`, exists: true, type: 'folder' as const, device: 1, inode: 1, links: 1 }
    expect(touched(read('cp a dir', { paths: { [`${ROOT}/dir`]: folder } }))).toEqual(['read /w/p/a', 'create /w/p/dir/a'])
    expect(facts().paths).toEqual({})
  })
})
