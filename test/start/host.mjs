/** A host that records a span, a metric point and a log record, and ends in the way its argument names. */
import { exit } from 'node:process';
import * as api from '@opentelemetry/api';

const { metrics, trace } = api;
// In the API itself from OpenTelemetry JS 3.x on.
const { logs } = 'logs' in api ? api : await import('@opentelemetry/api-logs');

const record = (name) => trace.getTracer('host').startSpan(name).end();
const stayAlive = () => setTimeout(() => {}, 2 ** 30);
const later = (work) => setTimeout(work, 50);

const ENDS = {
  'nothing left to do'() {},
  'an exit code'() {
    process.exitCode = 4;
  },
  SIGTERM() {
    stayAlive();
    process.kill(process.pid, 'SIGTERM');
  },
  SIGINT() {
    stayAlive();
    process.kill(process.pid, 'SIGINT');
  },
  // Like Paperclip: an orderly shutdown, and then an exit.
  'SIGTERM with a listener'() {
    stayAlive();
    process.once('SIGTERM', () =>
      later(() => {
        record('while shutting down');
        process.exit(3);
      }),
    );
    process.kill(process.pid, 'SIGTERM');
  },
  // Like the package `signal-exit`: the last listener passes the signal on.
  'SIGTERM with a listener that passes it on'() {
    stayAlive();
    const listener = () => {
      if (process.listenerCount('SIGTERM') > 1) return;
      process.removeListener('SIGTERM', listener);
      process.kill(process.pid, 'SIGTERM');
    };
    process.on('SIGTERM', listener);
    process.kill(process.pid, 'SIGTERM');
  },
  // Has run, and taken itself away, before anybody else is called.
  'SIGTERM with a listener that comes first'() {
    stayAlive();
    process.prependOnceListener('SIGTERM', () => later(() => process.exit(3)));
    process.kill(process.pid, 'SIGTERM');
  },
  'SIGTERM with a listener that imported its exit'() {
    stayAlive();
    process.on('SIGTERM', () => exit(3));
    process.kill(process.pid, 'SIGTERM');
  },
  'SIGTERM with a listener that sends it again by number'() {
    stayAlive();
    const listener = () => {
      process.removeListener('SIGTERM', listener);
      process.kill(process.pid, 15);
    };
    process.on('SIGTERM', listener);
    process.kill(process.pid, 'SIGTERM');
  },
  'SIGTERM with a listener that exits twice'() {
    stayAlive();
    process.on('SIGTERM', () => {
      process.exit(3);
      process.exit(4);
    });
    process.kill(process.pid, 'SIGTERM');
  },
  // Like tsx: a listener that comes first, is hidden, and ends the process where there is no other.
  'SIGTERM with a listener that is hidden'() {
    stayAlive();
    const hidden = () => {
      if (process.listenerCount('SIGTERM') === 0) process.exit(143);
    };
    process.prependListener('SIGTERM', hidden);
    const { listeners } = process;
    process.listeners = (event) => listeners.call(process, event).filter((each) => each !== hidden);
    process.listenerCount = (event) => process.listeners(event).length;
    later(() => process.kill(process.pid, 'SIGTERM'));
  },
  // Without a flush the process is gone before the exit.
  'SIGTERM, and an exit soon after'() {
    stayAlive();
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(0), 500);
  },
  'SIGTERM with a listener, and an exception that the host handles meanwhile'() {
    stayAlive();
    process.once('uncaughtException', ({ message }) => console.log('handled', message));
    process.once('SIGTERM', () => {
      later(() => {
        record('while shutting down');
        process.exit(3);
      });
      throw new TypeError('thrown');
    });
    process.kill(process.pid, 'SIGTERM');
  },
  'SIGTERM with a listener that takes seven seconds'() {
    stayAlive();
    process.once('SIGTERM', () => setTimeout(() => process.exit(3), 7_000));
    console.log('ending');
    process.kill(process.pid, 'SIGTERM');
  },
  'SIGTERM with a listener, and a SIGINT without one five seconds later'() {
    stayAlive();
    process.once('SIGTERM', () => setTimeout(() => process.kill(process.pid, 'SIGINT'), 5_000));
    console.log('ending');
    process.kill(process.pid, 'SIGTERM');
  },
  'SIGTERM with a listener that lets go of everything'() {
    const timer = stayAlive();
    process.once('SIGTERM', () => clearTimeout(timer));
    process.kill(process.pid, 'SIGTERM');
  },
  'work that begins when nothing is left to do'() {
    process.once('beforeExit', () =>
      later(() => {
        record('late work');
        console.log('worked');
      }),
    );
  },
  'nothing left to do, with a listener'() {
    console.log('ending');
    process.on('beforeExit', () => {});
  },
  // As process 1 it survives.
  'SIGTERM that does nothing'() {
    process.kill(process.pid, 'SIGTERM');
    later(() => record('after it'));
  },
  'SIGTERM that does nothing, and later one with a listener'() {
    process.kill(process.pid, 'SIGTERM');
    later(ENDS['SIGTERM with a listener']);
  },
  'SIGTERM with a listener that passes it on to nobody'() {
    process.once('SIGTERM', () => {
      process.kill(process.pid, 'SIGTERM');
      later(() => record('after it'));
    });
    process.kill(process.pid, 'SIGTERM');
    later(() => {});
  },
  'SIGTERM where exit cannot be replaced'() {
    stayAlive();
    Object.defineProperty(process, 'exit', { value: process.exit, writable: false });
    process.on('SIGTERM', () => later(() => process.exit(3)));
    process.kill(process.pid, 'SIGTERM');
  },
  'an uncaught exception, and an exit soon after'() {
    later(() => {
      setTimeout(() => process.exit(0), 1);
      throw new TypeError('thrown');
    });
  },
  'exceptions that go on'() {
    let count = 0;
    setInterval(() => {
      count += 1;
      throw new TypeError(`thrown ${count}`);
    }, 1);
  },
  'an exception that a callback captures'() {
    process.setUncaughtExceptionCaptureCallback(({ message }) => console.log('captured', message));
    later(() => {
      throw new TypeError('thrown');
    });
  },
  'an exception at the exit'() {
    process.on('exit', () => {
      throw new TypeError('thrown');
    });
  },
  'an uncaught exception'() {
    process.on('uncaughtExceptionMonitor', ({ message }) => console.log('monitor', message));
    later(() => {
      throw new TypeError('thrown');
    });
  },
  'an unhandled rejection'() {
    Promise.reject(new TypeError('rejected'));
  },
  'an exception that the host handles'() {
    process.on('uncaughtException', ({ message }) => {
      console.log('handled', message);
      process.exit(9);
    });
    later(() => {
      throw new TypeError('thrown');
    });
  },
};

process.on('exit', (code) => console.log('exit', code));
record('before the end');
metrics.getMeter('host').createCounter('hosted').add(1);
logs.getLogger('host').emit({ body: 'said' });
ENDS[process.argv[2]]();
