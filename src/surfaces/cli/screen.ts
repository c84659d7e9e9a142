import { listSettings } from '../../project/config/config.ts'
import { appFor } from './app-for.ts'
import type { Globals } from './globals.ts'
import type { Io } from './io.ts'
import { isColourChoice, type Screen } from './paint.ts'

/** The screen at one end of the process, with what flags, environment and settings say of it. Never throws: a setting that is
 *  broken is told by the command that needs it, and must not stand in the way of telling. */
export function screenAt(end: 'stdout' | 'stderr', globals: Globals, io: Io): Screen {
  const { color, ascii } = uiSettings(globals, io)
  const stands = color?.source === 'project' || color?.source === 'personal'
  return {
    isTerminal: io.terminal[end],
    columns: end === 'stdout' ? io.terminal.columns : undefined,
    env: io.env,
    // NO_COLOR is of the environment, and that is above every file.
    choice: (stands && io.env['NO_COLOR']) || !isColourChoice(color?.value) ? 'auto' : color.value,
    ascii: ascii?.value === true,
  }
}

function uiSettings(globals: Globals, io: Io) {
  const flags = globals.color === undefined ? {} : { 'ui.color': globals.color }
  const withoutFiles = (env: Io['env']) => ({ project: null, personal: '', env, flags })
  const attempts = [() => appFor(globals, io, []).configPlaces(), () => withoutFiles(io.env), () => withoutFiles({})]
  for (const places of attempts) {
    try {
      const settings = listSettings(places())
      return { color: settings.find(({ key }) => key === 'ui.color'), ascii: settings.find(({ key }) => key === 'ui.ascii') }
    } catch {
      // The next attempt asks fewer places.
    }
  }
  return {}
}
