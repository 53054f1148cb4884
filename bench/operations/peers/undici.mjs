// @ts-check
/** Requests of a client whose connection is a stream in memory. */
import { Duplex } from 'node:stream';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { Client } from 'undici';

const RESPONSE = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok');

/** Answers each request that is written to it. */
class Connection extends Duplex {
  /**
   * @param {Buffer | string} _chunk
   * @param {string} _encoding
   * @param {() => void} done
   */
  _write(_chunk, _encoding, done) {
    done();
    process.nextTick(() => this.push(RESPONSE));
  }
  _read() {}
}

/** @param {boolean} isInstrumented */
export default function undici(isInstrumented) {
  if (isInstrumented) new UndiciInstrumentation();
  const client = new Client('http://localhost', {
    connect: (_options, done) => process.nextTick(done, null, new Connection()),
  });
  return async (/** @type {number} */ operations) => {
    for (let done = 0; done < operations; done += 1) {
      const { body } = await client.request({ method: 'GET', path: '/' });
      await body.dump();
    }
  };
}
