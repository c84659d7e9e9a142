import { QedError } from '../../kernel/errors.ts'

/** A clean-up that would lose something. There is no way to force it. */
export class CleanupUnsaved extends QedError {
  readonly code = 'cleanup.unsaved'
  readonly paths: string[]
  constructor(place: string, paths: string[]) {
    super(`${paths.length} files of ${place} are in no snapshot and not in the attic. Nothing was removed.`, {
      details: { place, paths: paths.slice(0, 100) },
      next: {
        operation: 'snapshot.list',
        command: 'qed snapshot list',
        why: 'Look what is saved; copy the named files yourself if you want the place gone.',
      },
    })
    this.paths = paths
  }
}

export class PlaceLimit extends QedError {
  readonly code = 'blocked'
  constructor(limit: { places: number; most: number } | { bytes: number; most: number }) {
    const what =
      'places' in limit
        ? `${limit.places} places are in use; at most ${limit.most} may be`
        : `Places hold ${limit.bytes} bytes; at most ${limit.most} may be held`
    super(`${what}, and none that has ended can be cleaned.`, {
      details: limit,
      next: {
        operation: 'place.list',
        command: 'qed place list',
        why: 'It shows which runs hold them; end or wait for one, or raise sandbox.places or sandbox.places_bytes.',
      },
    })
  }
}

export class PlaceBusy extends QedError {
  readonly code = 'conflict'
  constructor(run: string) {
    super(`The run ${run} has not ended. A live place is never cleaned.`, {
      details: { run },
      next: { command: `qed run cancel ${run}`, why: 'End the run first.' },
    })
  }
}
