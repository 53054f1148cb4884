/** What receives alerts from Alertmanager, and keeps them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** One alert of a notification: version 4 of Alertmanager's webhook format. */
export interface ReceivedAlert {
  /** The path that the notification was sent to. */
  readonly path: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Webhook {
  readonly url: string;
  /** Every alert that was delivered, oldest first; one that goes on may come more than once. */
  readonly alerts: readonly ReceivedAlert[];
  close(): void;
}

export async function startWebhook(): Promise<Webhook> {
  const alerts: ReceivedAlert[] = [];
  const server = createServer(async (request, response) => {
    const notification = (await json(request)) as { alerts: Omit<ReceivedAlert, 'path'>[] };
    alerts.push(...notification.alerts.map((alert) => ({ ...alert, path: request.url ?? '' })));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    alerts,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
