import { longNames, type OptionShape } from './arguments.ts'
import type { Word } from './word.ts'

/** Subcommands of larger tools that only look. */
export interface SubcommandRow extends OptionShape {
  /** The leading operands, joined by spaces. */
  reads: ReadonlySet<string>
  /** Whether looking means asking another machine. */
  host?: string
  never?: readonly string[]
  holds?: (words: readonly Word[]) => boolean
}

const words = (...rows: string[]): ReadonlySet<string> => new Set(rows.flatMap(row => row.split(',').map(one => one.trim())))
const crossed = (firsts: string, seconds: string): string[] =>
  firsts.split(' ').flatMap(first => seconds.split(' ').map(second => `${first} ${second}`))
const CONTAINERS: SubcommandRow = {
  reads: words('ps, images, logs, version'),
  values: 'nf',
  longValues: longNames('filter format tail since until'),
  never: ['-H', '--host', '-c', '--context', '--config', '--url', '--connection', '--tls', '--tlscacert'],
}

export const SUBCOMMANDS: ReadonlyMap<string, SubcommandRow> = new Map<string, SubcommandRow>([
  ['docker', CONTAINERS],
  ['podman', CONTAINERS],
  [
    'kubectl',
    {
      reads: words('get, describe, logs'),
      host: '*',
      values: 'nolLcfk',
      longValues: longNames('namespace context output selector container tail since cluster user server'),
      never: ['--kubeconfig', '--token', '--as', '-f', '--filename', '-k', '--kustomize', '--server', '--raw'],
      holds: all => all.every(word => !/secret/i.test(word.text)),
    },
  ],
  [
    'gh',
    {
      reads: words(...crossed('pr issue run repo release', 'list view diff checks status')),
      host: 'github.com',
      values: 'RLqstSaAlHBmbjweu',
      longValues: longNames('repo json jq template limit state author assignee label search branch base head milestone job workflow'),
      never: ['-w', '--web'],
    },
  ],
  [
    'npm',
    {
      reads: words('ls, list'),
      longValues: longNames('depth prefix omit include'),
      never: ['--script-shell', '--node-options', '--userconfig'],
    },
  ],
  [
    'pip',
    {
      reads: words('list, show, freeze'),
      values: 'i',
      longValues: longNames('format path'),
      never: ['--python', '--proxy', '-o', '--outdated', '-u', '--uptodate'],
    },
  ],
  [
    'pip3',
    {
      reads: words('list, show, freeze'),
      values: 'i',
      longValues: longNames('format path'),
      never: ['--python', '--proxy', '-o', '--outdated', '-u', '--uptodate'],
    },
  ],
  [
    'cargo',
    {
      reads: words('tree, metadata'),
      values: 'peiF',
      longValues: longNames('package manifest-path format-version depth edges invert format features target color charset prefix'),
      never: ['--config', '-Z', '-C'],
      holds: all => !all[0]?.text.startsWith('+'),
    },
  ],
  [
    'go',
    {
      reads: words('list'),
      // go writes its long options with one dash.
      holds: all =>
        all.every(
          word =>
            !/^--?(?:toolexec|exec|overlay|mod|modfile|C|export|compiled|cgo|gccgoflags|ldflags|vettool|u|versions)(?:=|$)/.test(word.text),
        ),
    },
  ],
  ['brew', { reads: words('list, info') }],
  [
    'helm',
    {
      reads: words('list, status'),
      host: '*',
      values: 'no',
      longValues: longNames('namespace output kube-context filter'),
      never: ['--kubeconfig', '--post-renderer'],
    },
  ],
  ['terraform', { reads: words('show, validate'), holds: all => !all[0]?.text.startsWith('-') }],
])
