// @ts-check
/**
 * A receiver that prints the alerts that Alertmanager sends, for whatever calls people at your place.
 * Usage: node receiver.mjs [port]
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * What of a webhook's body is printed.
 *
 * @typedef {object} Notification
 * @property {string} receiver
 * @property {{ status: string, labels: Record<string, string>, annotations: Record<string, string> }[]} alerts
 */

const server = createServer(async (request, response) => {
  try {
    const { receiver, alerts } = /** @type {Notification} */ (await json(request));
    for (const { status, labels, annotations } of alerts) {
      console.log(
        `${status}, to ${receiver}: ${labels.severity} ${labels.alertname}: ${annotations.summary}`,
      );
      console.log(`  ${annotations.runbook_url}`);
    }
    response.end();
  } catch {
    response.writeHead(400).end();
  }
});
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`waiting for alerts at http://127.0.0.1:${port}`);
});
