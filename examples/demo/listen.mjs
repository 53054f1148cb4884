// @ts-check
/** Starting and stopping an HTTP server on the loopback interface. */
import { once } from 'node:events';

/** @import { AddressInfo } from 'node:net' */
/** @import { Server } from 'node:http' */

/**
 * @param {Server} server
 * @param {number} port 0 for any free one
 * @returns {Promise<string>} the server's URL
 */
export async function listen(server, port) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
}

/** @param {Server} server */
export function close(server) {
  server.close();
  server.closeAllConnections();
}
