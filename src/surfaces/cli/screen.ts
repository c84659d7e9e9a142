import { type ConfigPlaces, listSettings } from '../../project/config/config.ts'
import type { Setting } from '../../project/config/resolve.ts'
import type { Globals } from './globals.ts'
import type { Io } from './io.ts'
import type { ColourChoice, Screen } from './paint.ts'

/** The screen at one end of the process, with what flags, environment and settings say of it. Never throws: a setting that is
 *  broken is told by the command that needs it, and must not stand in the way of telling. */
export function screenAt(end: 'stdout' | 'stderr', io: Io, globals: Globals, places: () => ConfigPlaces): Screen {
  const settings = settingsInForce(io, globals, places)
  const color = settings.find(({ key }) => key === 'ui.color')
  const stands = color?.source === 'project' || color?.source === 'personal'
  return {
    isTerminal: io.terminal[end],
    columns: io.terminal[end] ? io.terminal.columns : undefined,
    env: io.env,
    // NO_COLOR is of the environment, and that is above every file.
    choice: stands && io.env['NO_COLOR'] ? 'auto' : ((color?.value ?? 'auto') as ColourChoice),
    ascii: settings.find(({ key }) => key === 'ui.ascii')?.value === true,
  }
}

function settingsInForce(io: Io, { color }: Globals, places: () => ConfigPlaces): Setting[] {
  const flags = color === undefined ? {} : { 'ui.color': color }
  const withoutFiles = (env: Io['env']): ConfigPlaces => ({ project: null, personal: '', env, flags })
  for (const attempt of [places, () => withoutFiles(io.env), () => withoutFiles({})]) {
    try {
      return listSettings(attempt())
    } catch {
      // The next attempt asks fewer places.
    }
  }
  return []
}
