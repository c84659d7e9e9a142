import type { Access } from '../types.ts'
import { longNames, type OptionShape } from './arguments.ts'

/** A program whose only effect is on the paths among its words, judged by those. An option outside the row takes the class away. */
export interface FileEffectRow extends OptionShape {
  /** Its paths are known, and it is asked about all the same. */
  class?: 'other'
  flags: string
  longFlags: ReadonlySet<string>
  /** What the words mean. */
  words: 'targets' | 'sources-then-target' | 'mode-then-targets'
  /** What happens to the targets. */
  access: Access
  /** What happens to the sources. */
  sourceAccess?: Access
  /** Options with which all words are targets. */
  targetsWith?: readonly string[]
  /** Options that make it reach everything below. */
  recursive?: readonly string[]
  /** Options that name the folder which everything goes into. */
  into?: readonly string[]
  /** Options whose value is a file that is only looked at. */
  files?: readonly string[]
}

const ASKED = { class: 'other', flags: '', longFlags: new Set<string>() } as const
const COPIES = 'backup force interactive no-clobber strip-trailing-slashes no-target-directory update verbose context debug'

export const FILE_EFFECTS: ReadonlyMap<string, FileEffectRow> = new Map<string, FileEffectRow>([
  [
    'cp',
    {
      words: 'sources-then-target',
      access: 'create',
      sourceAccess: 'read',
      flags: 'abdfilLnpPrRsTuvxZH',
      values: 'tS',
      longFlags: longNames(
        `${COPIES} archive attributes-only copy-contents link dereference no-dereference preserve no-preserve parents recursive reflink ` +
          'remove-destination sparse symbolic-link one-file-system keep-directory-symlink',
      ),
      longValues: longNames('target-directory suffix'),
      recursive: ['-r', '-R', '-a', '--recursive', '--archive'],
      into: ['-t', '--target-directory'],
    },
  ],
  [
    'mv',
    {
      words: 'sources-then-target',
      access: 'create',
      sourceAccess: 'move',
      flags: 'bfinTuvZ',
      values: 'tS',
      longFlags: longNames(`${COPIES} exchange no-copy`),
      longValues: longNames('target-directory suffix'),
      into: ['-t', '--target-directory'],
    },
  ],
  [
    'ln',
    {
      words: 'sources-then-target',
      access: 'create',
      sourceAccess: 'link',
      flags: 'bdFfiLnPrsTv',
      values: 'tS',
      longFlags: longNames(`${COPIES} directory logical no-dereference physical relative symbolic`),
      longValues: longNames('target-directory suffix'),
      into: ['-t', '--target-directory'],
    },
  ],
  [
    'rm',
    {
      words: 'targets',
      access: 'delete',
      flags: 'dfiIrRv',
      longFlags: longNames('force interactive one-file-system no-preserve-root preserve-root recursive dir verbose'),
      recursive: ['-r', '-R', '--recursive'],
    },
  ],
  ['rmdir', { words: 'targets', access: 'delete', flags: 'pv', longFlags: longNames('ignore-fail-on-non-empty parents verbose') }],
  [
    'mkdir',
    {
      words: 'targets',
      access: 'create',
      flags: 'pvZ',
      values: 'm',
      longFlags: longNames('parents verbose context'),
      longValues: longNames('mode'),
    },
  ],
  [
    'touch',
    {
      words: 'targets',
      access: 'create',
      flags: 'acfhm',
      values: 'rdt',
      longFlags: longNames('no-create no-dereference'),
      longValues: longNames('reference date time'),
      files: ['-r', '--reference'],
    },
  ],
  ['tee', { words: 'targets', access: 'create', flags: 'aip', longFlags: longNames('append ignore-interrupts output-error') }],
  [
    'chmod',
    {
      words: 'mode-then-targets',
      access: 'write',
      flags: 'cfv',
      longFlags: longNames('changes silent quiet verbose no-preserve-root preserve-root'),
      longValues: longNames('reference'),
      files: ['--reference'],
      // Known, and not among the flags: it leaves the class.
      recursive: ['-R', '--recursive'],
    },
  ],
  ...['chown', 'chgrp'].map((name): [string, FileEffectRow] => [
    name,
    { ...ASKED, words: 'mode-then-targets', access: 'write', longValues: longNames('reference from'), recursive: ['-R', '--recursive'] },
  ]),
  [
    'install',
    {
      ...ASKED,
      words: 'sources-then-target',
      access: 'create',
      sourceAccess: 'read',
      values: 'gmotS',
      longValues: longNames('group mode owner target-directory suffix strip-program'),
      into: ['-t', '--target-directory'],
      targetsWith: ['-d', '--directory'],
    },
  ],
  ['unlink', { ...ASKED, words: 'targets', access: 'delete' }],
  ['link', { ...ASKED, words: 'sources-then-target', access: 'create', sourceAccess: 'link' }],
  ...['mkfifo', 'sponge'].map((name): [string, FileEffectRow] => [name, { ...ASKED, words: 'targets', access: 'create', values: 'm' }]),
  [
    'truncate',
    { ...ASKED, words: 'targets', access: 'write', values: 'sr', longValues: longNames('size reference'), files: ['-r', '--reference'] },
  ],
  ['shred', { ...ASKED, words: 'targets', access: 'write', values: 'ns', longValues: longNames('iterations size random-source') }],
  ...'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress'
    .split(' ')
    .map((name): [string, FileEffectRow] => [
      name,
      { ...ASKED, words: 'targets', access: 'write', values: 'SbTM', longValues: longNames('suffix'), recursive: ['-r', '--recursive'] },
    ]),
])
