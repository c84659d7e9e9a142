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
