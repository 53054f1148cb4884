import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as semconv from '../../../src/semconv.js';
import { GATEWAY_CONFIG, STACK_CONFIG } from './collector.js';
import { PROGRAMS, UNLESS_SKIPPED } from './go.js';
import { JAEGER_CONFIG } from './jaeger.js';
import { Servers } from './processes.js';

const run = promisify(execFile);
const servers = new Servers();
afterAll(() => servers.close());

describe.skipIf(!PROGRAMS).each([
  ['stack/collector.yaml', 'collector', STACK_CONFIG],
  ['fleet/gateway.yaml', 'collector', GATEWAY_CONFIG],
  ['stack/jaeger.yaml', 'jaeger', JAEGER_CONFIG],
] as const)(`examples/%s${UNLESS_SKIPPED}`, (_, program, config) => {
  const validate = (file: string) => run(PROGRAMS?.[program] ?? '', ['validate', '--config', file]);

  it(`is valid to its ${program}`, async () => {
    await validate(config);
  });

  it('would not be with an option that does not exist', async () => {
    const wrong = parse(readFileSync(config, 'utf8'));
    wrong.processors.batch.no_such_option = true;
    writeFileSync(`${servers.folder}/wrong.yaml`, JSON.stringify(wrong));
    await expect(validate(`${servers.folder}/wrong.yaml`)).rejects.toThrow('no_such_option');
  });
});

describe('the configurations of Collectors', () => {
  it('are all tried here', () => {
    const inExamples = (name: string) =>
      readdirSync(fileURLToPath(new URL(`../../../examples/${name}/`, import.meta.url)))
        .filter((file) => /\.ya?ml$/.test(file))
        .map((file) => fileURLToPath(new URL(`../../../examples/${name}/${file}`, import.meta.url)))
        .filter((path) => parse(readFileSync(path, 'utf8'))?.service?.pipelines !== undefined);
    const found = ['stack', 'fleet'].flatMap(inExamples);
    expect(found.sort()).toEqual([STACK_CONFIG, GATEWAY_CONFIG, JAEGER_CONFIG].sort());
  });

  it('name no attribute that the instrumentation does not set', () => {
    const names: unknown[] = Object.values(semconv);
    const used = readFileSync(GATEWAY_CONFIG, 'utf8').match(/(?<=attributes\[")[^"]+/g);
    expect(used).toEqual(['paperclip.error.background_tag', 'paperclip.recovery.kind']);
    for (const name of used ?? []) expect(names).toContain(name);
  });
});
