import type { Access, Facet } from './types.ts'

export function changes(access: Access | undefined): boolean {
  return access !== undefined && access !== 'read' && access !== 'list'
}

/** Everything of memory but looking into it. */
export function writesMemory(facet: Facet): boolean {
  return facet.category === 'memory' && facet.verb !== 'memory.search'
}
