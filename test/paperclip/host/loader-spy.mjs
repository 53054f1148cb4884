/** Preloaded first: notes through which of Node.js's two interfaces a later preload registers loader hooks. */
import module, { syncBuiltinESMExports } from 'node:module';

export const registeredThrough = [];

for (const name of ['register', 'registerHooks']) {
  const original = module[name];
  if (original === undefined) continue;
  module[name] = (...args) => {
    registeredThrough.push(name);
    return original(...args);
  };
}
syncBuiltinESMExports();
