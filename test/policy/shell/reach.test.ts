import { describe } from 'vitest'
import { checkRows } from '../../support/shell.ts'

// Programs that only look, in the forms in which they do more than that.

describe('looking programs that reach further than they look', () => {
  checkRows('P-30', 'the letters of an old-style tar take the next words one after another', [
    ['tar tf a.tar', 'read-only', '', ['read /w/p/a.tar']],
    ['tar tvzf a.tgz src/a', 'read-only', '', ['read /w/p/a.tgz']],
    ['tar tfI a.tar ./x', 'other', ''],
    ['tar tfC a.tar /etc', 'other', '', ['read? /etc']],
    ['tar ft a.tar', 'read-only', '', ['read /w/p/a.tar']],
  ])

  checkRows('P-30', 'options of xxd are whole words', [
    ['xxd -ps a', 'read-only', '', ['read /w/p/a']],
    ['xxd -ps a out', 'other', '', ['read /w/p/a', 'create /w/p/out']],
    ['xxd -c 16 -g1 -l 32 a', 'read-only', '', ['read /w/p/a']],
    ['xxd -plain a', 'read-only', '', ['read /w/p/a']],
    ['xxd -seek 3 a out', 'other', ''],
    ['xxd -r a b', 'other', '', ['read /w/p/a', 'create /w/p/b']],
  ])

  checkRows('P-30', 'a print of awk goes on over line ends', [
    ['awk \'BEGIN{print "x" \\\n > "y"}\'', 'other', ''],
    ['awk \'BEGIN{print "a",\n"b" > "f"}\'', 'other', ''],
    ["awk '$3 > 5 {print $1}' a", 'read-only', '', ['read /w/p/a']],
    ["awk '{ if ($1 > 5) n++; print n }' a", 'read-only', '', ['read /w/p/a']],
  ])

  checkRows('P-31', 'what is no longer read-only still names the files it touches', [
    ['sort -o out a', 'other', '', ['read /w/p/a', 'create /w/p/out']],
    ['sort --output=/etc/x .env', 'other', '', ['read /w/p/.env', 'create /etc/x']],
    ['shuf -o out a', 'other', '', ['read /w/p/a', 'create /w/p/out']],
    ['uniq a out', 'other', '', ['read /w/p/a', 'create /w/p/out']],
    ['tree -o out', 'other', '', ['list* /w/p', 'create /w/p/out']],
    ['rg --pre ./x foo .env', 'other', '', ['read* /w/p/.env']],
    ["sed 's/a/b/w out' .env", 'other', '', ['read /w/p/.env']],
    ['sed -f script .env', 'other', '', ['read /w/p/script', 'read /w/p/.env']],
    ["sed -i 'w out' a", 'other', '', ['write /w/p/a']],
    ['awk -f script .env', 'other', '', ['read /w/p/script', 'read /w/p/.env']],
    ['awk \'{print > "x"}\' .env', 'other', '', ['read /w/p/.env']],
    ['git log --output=x', 'other', '', ['create /w/p/x']],
    ['git show --output x HEAD', 'other', '', ['create /w/p/x']],
  ])

  checkRows('P-9', 'printing the environment by another program is printing it', [
    ["jq -n '$ENV'", 'other', '', ['secret *']],
    ['jq -n env.HOME', 'other', '', []],
    ['jq -n env.API_KEY', 'other', '', ['secret API_KEY']],
    ['jq .env config.json', 'other', '', ['read /w/p/config.json']],
    ["jq --args -n '$ENV'", 'other', '', ['secret *']],
    ['jq -n --args . -f /etc/passwd', 'read-only', '', ['read /etc/passwd', 'read /w/p']],
    ["jq -n '$ARGS.positional' --args env prod", 'read-only', '', []],
    ["jq -rn --arg env x '$env'", 'other', '', []],
    ['awk \'BEGIN { print ENVIRON["X"] }\'', 'other', '', []],
    ['awk \'BEGIN { print ENVIRON["API_KEY"] }\'', 'other', '', ['secret API_KEY']],
    ["awk 'BEGIN { for (k in ENVIRON) print ENVIRON[k] }'", 'other', '', ['secret *']],
  ])
})

describe('git that reaches further than it looks', () => {
  checkRows('P-32', 'files that git reads by its options and ranges are path facets', [
    ['git grep -f /etc/passwd', 'read-only', '', ['read /etc/passwd']],
    ['git log -L 1,5:.env', 'read-only', '', ['read /w/p/.env']],
    ['git log -L1,5:.env', 'read-only', '', ['read /w/p/.env']],
    ['git log -L :main:src/a.c', 'read-only', '', ['read /w/p/src/a.c']],
    ['git blame -L 1,5 a', 'read-only', '', ['read /w/p/a']],
    ['git blame -S /etc/passwd a', 'read-only', '', ['read /w/p/a', 'read /etc/passwd']],
    ['git blame --ignore-revs-file=/etc/passwd a', 'read-only', '', ['read /w/p/a', 'read /etc/passwd']],
  ])

  checkRows('P-32', 'what starts a program or takes names from elsewhere is no looking', [
    ['git cat-file --batch', 'other', ''],
    ['git cat-file --batch-command', 'other', ''],
    ['git cat-file --batch-check', 'read-only', ''],
    ['git grep --textconv x', 'other', ''],
    ["git log --format='%h %G?'", 'other', ''],
    ['git log --pretty=format:%GG', 'other', ''],
    ["git for-each-ref --format='%(signature)'", 'other', ''],
    ["git branch --format='%(signature:key)'", 'other', ''],
    ["git log --format='%h %an %gs'", 'read-only', ''],
    ["git for-each-ref --format='%(refname)'", 'read-only', ''],
  ])
})

describe('larger tools', () => {
  checkRows('P-30', 'an option nobody knows takes the class of a larger tool away', [
    ['pip list --log x', 'other', ''],
    ['pip --log=x list', 'other', ''],
    ['pip list --format=json', 'read-only', ''],
    ['kubectl get pods --profile=cpu --profile-output=x', 'other', ''],
    ['kubectl get pods -n web -o wide', 'read-only', ''],
    ['kubectl -n web logs pod/a -f --tail=20', 'read-only', ''],
    ['kubectl get -f x.yaml', 'other', ''],
    ['podman --runtime ./x ps', 'other', ''],
    ['docker ps -a --format json', 'read-only', ''],
    ['docker logs --tail 50 web', 'read-only', ''],
    ['brew info ./x.rb', 'other', ''],
    ['brew info user/tap/x', 'other', ''],
    ['brew info jq', 'read-only', ''],
    ['gh pr view 12 --json title', 'read-only', ''],
    ['cargo tree -p serde', 'read-only', ''],
    ['npm ls --depth 0', 'read-only', ''],
    ['helm list -A', 'read-only', ''],
  ])

  checkRows('P-31', 'a plan or state that terraform shows is a file it reads', [
    ['terraform show main.tfstate', 'read-only', '', ['read /w/p/main.tfstate']],
    ['terraform show -json', 'read-only', '', []],
  ])
})
