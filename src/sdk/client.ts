import { type ConnectOptions, connectRpc, type RpcClient } from '../client/rpc-client.ts'
import type { OperationMap } from '../operations/operation-map.ts'
import type { TransportMap } from '../surfaces/rpc/methods.ts'

export { createEngineClient, type EngineClientOptions } from '../client/engine-client.ts'
export { ConnectionLost, type ConnectOptions, type RpcClient, RpcFailed } from '../client/rpc-client.ts'
export type { OperationMap } from '../operations/operation-map.ts'

/** Every method of a server: the operations under their names, and what is about the connection itself. */
export type ServerMethods = Omit<OperationMap, keyof TransportMap> & TransportMap

/** Connects to a running `qed serve`. Every method can be called by its name, with its own types. */
export function connect(options: ConnectOptions): Promise<RpcClient<ServerMethods>> {
  return connectRpc<ServerMethods>(options)
}
