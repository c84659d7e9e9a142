import { statSync } from 'node:fs'
import { type App, createApp } from '../../app.ts'
import { NotFound } from '../../kernel/errors.ts'
import type { Globals } from './globals.ts'
import type { Io } from './io.ts'

/** The app that a command line works on. Throws `not_found` where its folder is not there. */
export function appFor(globals: Globals, io: Io, self: string[]): App {
  return createApp({
    cwd: workFolder(globals.project),
    env: io.env,
    storePath: globals.store,
    self,
    flags: {
      ...(globals.color !== undefined && { 'ui.color': globals.color }),
      ...(globals.profile !== undefined && { profile: globals.profile }),
    },
  })
}

// A folder that is not there must not stand for the one above it: `init` would make a project of a repository nobody named.
function workFolder(wanted: string | undefined): string {
  const folder = wanted ?? currentFolder()
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new NotFound(`There is no folder ${folder}.`, {
    details: { folder },
    next: { why: 'Name one that exists, or make it first.' },
  })
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new NotFound('The folder that this command was started in is gone.', {
      cause,
      next: { command: 'cd', why: 'Go to one that exists.' },
    })
  }
}
