// @ts-check
/**
 * A duplex channel with the shape of Paperclip's `CommandManagedDuplexChannel`. The process at its other end is
 * made up: it answers what it is sent. Where the command is `false`, it ends with exit code 1 instead; where it is
 * `crash`, the whole sandbox is gone.
 */

/** @import { Pause } from './drivers.mjs' */

/** @typedef {'true' | 'false' | 'crash'} Command */
/** @typedef {{ exitCode: number | null, transportClosed?: boolean }} ChannelExit */

/**
 * @typedef {object} DuplexChannel
 * @property {(data: Uint8Array) => void} write
 * @property {(listener: (chunk: Uint8Array) => void) => void} onData
 * @property {(listener: (exit: ChannelExit) => void) => void} onExit
 * @property {() => void} stop
 * @property {() => Promise<void>} close
 */

/**
 * @param {readonly string[]} command
 * @param {Pause} pause
 * @returns {DuplexChannel}
 */
export function createChannel([program], pause) {
  /** @type {(chunk: Uint8Array) => void} */
  let tellData = () => {};
  /** @type {(exit: ChannelExit) => void} */
  let tellExit = () => {};
  /** @param {Uint8Array} data */
  const react = async (data) => {
    await pause(1, 20);
    if (program === 'false') tellExit({ exitCode: 1 });
    else if (program === 'crash') tellExit({ exitCode: null, transportClosed: true });
    else tellData(Buffer.from(`${data.byteLength} bytes, thank you\n`));
  };
  return {
    write(data) {
      void react(data);
    },
    onData(listener) {
      tellData = listener;
    },
    onExit(listener) {
      tellExit = listener;
    },
    stop() {
      tellExit({ exitCode: null });
    },
    async close() {
      await pause(1, 3);
      if (program === 'crash') throw new Error('The provider does not know this session.');
    },
  };
}
