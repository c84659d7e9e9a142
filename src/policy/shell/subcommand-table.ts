import { longNames, type OptionShape } from './arguments.ts'
import type { Word } from './word.ts'

/** Subcommands of larger tools that only look. */
export interface SubcommandRow extends OptionShape {
  /** The leading operands, joined by spaces. */
  reads: ReadonlySet<string>
  /** Whether looking means asking another machine. */
  host?: string
  /** The options that are known to do nothing else. */
  only: readonly string[]
  /** The subcommand stands first: options before it belong to the program as a whole. */
  leads?: boolean
  /** Operands behind the subcommand are files that are read. */
  readsOperands?: boolean
  holds?: (words: readonly Word[]) => boolean
}

/** Programs whose options are written with one dash and checked by `holds`. */
const ANY: readonly string[] = []

const words = (...rows: string[]): ReadonlySet<string> => new Set(rows.flatMap(row => row.split(',').map(one => one.trim())))
const crossed = (firsts: string, seconds: string): string[] =>
  firsts.split(' ').flatMap(first => seconds.split(' ').map(second => `${first} ${second}`))
const options = (names: string): readonly string[] => ['--help', ...names.split(' ')]
const GO_DANGEROUS = /^--?(?:toolexec|exec|overlay|mod|modfile|C|export|compiled|cgo|gccgoflags|ldflags|vettool|u|versions)(?:=|$)/

const CONTAINERS: SubcommandRow = {
  reads: words('ps, images, logs, version'),
  values: 'n',
  longValues: longNames('filter format tail since until last'),
  only: options(
    '-a --all -q --quiet -n --last -l --latest -s --size --no-trunc --filter --format --digests -f --follow --tail --since --until -t ' +
      '--timestamps --details',
  ),
  leads: true,
}

const PIP: SubcommandRow = {
  reads: words('list, show, freeze'),
  longValues: longNames('format exclude'),
  only: options(
    '--format -f --files -l --local --user -v --verbose -q --quiet --not-required --exclude-editable --include-editable -e --editable ' +
      '--all --exclude --disable-pip-version-check',
  ),
}

const NPM: SubcommandRow = {
  reads: words('ls, list'),
  longValues: longNames('depth omit include workspace'),
  values: 'w',
  only: options(
    '--depth -a --all --json -l --long -p --parseable -g --global --omit --include --link --package-lock-only --prod --dev -w --workspace ' +
      '--workspaces --silent -s',
  ),
}

export const SUBCOMMANDS: ReadonlyMap<string, SubcommandRow> = new Map<string, SubcommandRow>([
  ['docker', CONTAINERS],
  ['podman', CONTAINERS],
  [
    'kubectl',
    {
      reads: words('get, describe, logs'),
      host: '*',
      values: 'nolLc',
      longValues: longNames(
        'namespace context output selector container tail since since-time sort-by field-selector label-columns limit-bytes cluster user',
      ),
      only: options(
        '-n --namespace --context --cluster --user -o --output -l --selector -L --label-columns -A --all-namespaces -w --watch --show-labels ' +
          '--show-kind --sort-by --field-selector --no-headers --ignore-not-found -c --container --all-containers -f --follow -p --previous ' +
          '--tail --since --since-time --timestamps --prefix --limit-bytes --show-events --show-managed-fields',
      ),
      // Behind `logs` the letter follows, elsewhere it names a file.
      holds: all =>
        all.every(word => !/secret|^-o.*file|^--output=.*file/i.test(word.text)) &&
        (all.some(word => word.text === 'logs') || all.every(word => !/^-[A-Za-z]*f/.test(word.text) || word.text.startsWith('--'))),
    },
  ],
  [
    'gh',
    {
      reads: words(...crossed('pr issue run repo release', 'list view diff checks status')),
      host: 'github.com',
      values: 'RLqstSaAlHBmbjeu',
      longValues: longNames(
        'repo json jq template limit state author assignee label search branch base head milestone job workflow attempt status',
      ),
      only: options(
        '-R --repo -L --limit -q --jq -s --state -t --template -S --search -a --assignee -A --author -l --label -H --head -B --base -m ' +
          '--milestone -b --branch -j --job -e --event -u --user --json --comments -c --color --patch --name-only --required --fail-fast --log ' +
          '--log-failed --exit-status -v --verbose --draft -d --attempt --workflow --created --commit --app --mention --order --visibility ' +
          '--language --topic --source --fork --archived --no-archived --status --exclude-drafts --exclude-pre-releases --conflict-status',
      ),
    },
  ],
  ['npm', NPM],
  ['pip', PIP],
  ['pip3', PIP],
  [
    'cargo',
    {
      reads: words('tree, metadata'),
      values: 'peiF',
      longValues: longNames(
        'package format-version depth edges invert format features target color charset prefix exclude prune filter-platform',
      ),
      only: options(
        '-p --package --workspace --exclude --depth -e --edges -i --invert --no-dedupe -d --duplicates --charset --prefix -f --format -F ' +
          '--features --all-features --no-default-features --target --locked --offline --frozen --prune --no-deps --format-version ' +
          '--filter-platform -q --quiet -v --verbose --color --all',
      ),
      holds: all => !all[0]?.text.startsWith('+'),
    },
  ],
  // go writes its long options with one dash, so that letters say nothing.
  ['go', { reads: words('list'), only: ANY, leads: true, holds: all => all.every(word => !GO_DANGEROUS.test(word.text)) }],
  [
    'brew',
    {
      reads: words('list, info'),
      only: options(
        '--formula --formulae --cask --casks --json --versions --pinned -1 -l -r -t -v --verbose -q --quiet -d --debug --full-name --multiple --installed --all ' +
          '--installed-on-request --installed-as-dependency --poured-from-bottle --built-from-source --analytics --days --category --variations',
      ),
      // A formula that is a file or stands in somebody's tap is a program, and looking at it runs it.
      holds: all => all.every(word => !word.text.includes('/') && !word.text.endsWith('.rb')),
    },
  ],
  [
    'helm',
    {
      reads: words('list, status'),
      host: '*',
      values: 'nolfm',
      longValues: longNames('namespace output kube-context filter selector max offset revision time-format'),
      only: options(
        '-n --namespace -o --output -A --all-namespaces -a --all -q --short -d --date -r --reverse -f --filter -l --selector -m --max --offset ' +
          '--deployed --failed --pending --superseded --uninstalled --uninstalling --no-headers --debug --time-format --kube-context --revision --show-desc --show-resources',
      ),
    },
  ],
  ['terraform', { reads: words('show, validate'), only: ANY, leads: true, readsOperands: true }],
])
