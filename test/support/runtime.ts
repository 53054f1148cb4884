/** Source text of modules as Paperclip has them, for folders that a test makes. */

/** `services/environment-runtime` of the server, with a driver that refuses channels. */
export const RUNTIME_SOURCE = `
  export function environmentRuntimeService() {
    const driver = {
      async openDuplexChannel() {
        throw new Error('Sandbox driver does not support duplex channels for this lease.');
      },
    };
    return { getDriver: () => driver };
  }
`;
