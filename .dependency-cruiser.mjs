/**
 * The floors of `src/`, from top to bottom. A room imports rooms of lower floors only, types included, and there is no
 * circle among files. `npm run floors` checks it; `docs/architecture.md` explains the rooms. The tool does not see
 * `export type { … } from`, so no file but `index.ts`, which is on the top floor, re-exports.
 */
const FLOORS = [
  ['(register|start|index)[.]ts', 'require[.]cts', 'cli/[^/]+[.]ts'],
  ['preload[.]ts', 'cli/doctor/'],
  ['(instrumentation|core)[.]ts', 'start/', 'cli/installation/'],
  ['attach/'],
  ['instrument/'],
  ['duplex/'],
  ['telemetry/'],
  ['wrap/'],
  ['shared[.]ts', '(config|options)[.]ts'],
  ['operations/', 'recovery/', 'cli/catalog/'],
  ['errors/', 'lease/'],
  ['base/', 'types[.]ts', 'cli/naming/', 'cli/otel/', 'cli/tail/'],
  ['semconv[.]ts', 'version[.]ts'],
].map((floor) => floor.map((room) => `^src/${room}`));

const downwardOnly = FLOORS.flatMap((floor, index) =>
  floor.map((room) => ({
    name: `${room.slice(5)} imports lower floors only`,
    severity: 'error',
    from: { path: room },
    to: { path: FLOORS.slice(0, index + 1).flat(), pathNot: room },
  })),
);

export default {
  forbidden: [
    { name: 'no circle', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'every file has a floor',
      severity: 'error',
      from: { path: '^src/', pathNot: FLOORS.flat() },
      to: {},
    },
    ...downwardOnly,
  ],
  options: { tsPreCompilationDeps: true, doNotFollow: { path: 'node_modules' } },
};
