/** What Paperclip is told about the plug-in when it is installed. */
import { HOOKS, MANNERS } from './misbehave.js';

export default {
  id: 'opentelemetry.provider-folders',
  apiVersion: 1,
  version: '1.0.0',
  displayName: 'Folders',
  description: 'Leases are folders of this machine, and their commands its processes',
  author: 'opentelemetry-instrumentation-paperclip',
  categories: ['automation'],
  capabilities: ['environment.drivers.register'],
  entrypoints: { worker: './worker.js' },
  environmentDrivers: [
    {
      driverKey: 'folders',
      kind: 'sandbox_provider',
      displayName: 'Folders',
      description: 'Each lease is a folder of this machine.',
      sandboxCapabilities: {
        reusableLeases: true,
        persistentProcessSessions: true,
        independentControlCommands: true,
        duplexCommandStream: true,
      },
      configSchema: {
        type: 'object',
        properties: {
          folder: {
            type: 'string',
            description: 'Where leases are made. Default: the folder for temporary files',
          },
          calls: { type: 'string', description: 'File to which each call is appended as a line of JSON' },
          reuseLease: { type: 'boolean', description: 'Whether a released lease is kept for the next run' },
          misbehave: {
            type: 'object',
            description: 'What goes wrong, by the name of the hook',
            properties: Object.fromEntries(HOOKS.map((hook) => [hook, { type: 'string', enum: MANNERS }])),
            additionalProperties: false,
          },
        },
      },
    },
  ],
};
