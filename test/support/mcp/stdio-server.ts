import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { testMcpServer } from './test-server.ts'

serveStdio(testMcpServer)
