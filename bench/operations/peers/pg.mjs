// @ts-check
/** Queries of a client whose connection is in memory. */
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';

/** A message of PostgreSQL's protocol: its type, its length, its content. */
function message(/** @type {string} */ type, /** @type {number[]} */ ...content) {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}

const READY = message('Z', ...Buffer.from('I'));
const AUTHENTICATED = Buffer.concat([message('R', 0, 0, 0, 0), READY]);
const RESULT = Buffer.concat([
  // One column of type int4, in text format.
  message('T', 0, 1, ...Buffer.from('n\0'), 0, 0, 0, 0, 0, 0, 0, 0, 0, 23, 0, 4, 255, 255, 255, 255, 0, 0),
  message('D', 0, 1, 0, 0, 0, 1, ...Buffer.from('1')),
  message('C', ...Buffer.from('SELECT 1\0')),
  READY,
]);

const QUERY = 'Q'.charCodeAt(0);

/**
 * Answers the start of the session, and then each query. As much of a socket as the client uses: what is measured is a
 * difference, and the less of it is the same on both sides, the less noise there is.
 */
class Connection extends EventEmitter {
  writable = true;
  connect() {
    queueMicrotask(() => this.emit('connect'));
  }
  write(/** @type {Buffer} */ message) {
    queueMicrotask(() => this.emit('data', message[0] === QUERY ? RESULT : AUTHENTICATED));
    return true;
  }
  setNoDelay() {}
  ref() {}
  unref() {}
}

/** @param {boolean} isInstrumented */
export default async function pg(isInstrumented) {
  if (isInstrumented) new PgInstrumentation();
  // Loaded afterwards, and the way in which instrumentations see it.
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client({ stream: new Connection(), user: 'paperclip', database: 'paperclip' });
  await client.connect();
  return async (/** @type {number} */ operations) => {
    for (let done = 0; done < operations; done += 1) await client.query('SELECT 1 AS n');
  };
}
