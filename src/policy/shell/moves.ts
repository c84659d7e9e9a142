import type { AndOr, CompoundList, PipelineNode } from 'unbash'

const MOVERS = new Set(['cd', 'pushd', 'popd', 'eval', 'command', 'builtin'])

/** Whether running this may leave the shell in another folder. */
export function movesShell(node: PipelineNode | AndOr): boolean {
  switch (node.type) {
    case 'Command':
      // A name that is not plain text may turn out to be anything.
      return node.name !== undefined && (node.name.parts !== undefined || MOVERS.has(node.name.value))
    case 'AndOr':
      return node.commands.some(movesShell)
    case 'Pipeline': {
      const [only] = node.commands
      return node.commands.length === 1 && only !== undefined && movesShell(only)
    }
    case 'Subshell':
    case 'TestCommand':
    case 'ArithmeticCommand':
      return false
    case 'BraceGroup':
    case 'For':
    case 'Select':
    case 'ArithmeticFor':
      return listMoves(node.body)
    case 'While':
      return listMoves(node.clause) || listMoves(node.body)
    case 'If':
      return [node.clause, node.then, ...(node.else ? [node.else] : []), ...node.elif.flatMap(branch => [branch.clause, branch.then])].some(
        listMoves,
      )
    case 'Case':
      return node.items.some(item => listMoves(item.body))
    case 'Redirected':
      return movesShell(node.command)
    case 'Function':
    case 'Coproc':
      return true
  }
}

function listMoves(list: CompoundList): boolean {
  return list.commands.some(statement => movesShell(statement.command))
}
