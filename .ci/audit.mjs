// @ts-check
/**
 * Asks the registry for known vulnerabilities of what is shipped: dependencies and peers, at the versions of the lock file.
 * Fails for each that there is; says so where the registry does not answer that question.
 */
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
const answer = JSON.parse(stdout || '{}');
if (answer.metadata?.vulnerabilities === undefined) {
  console.log('npm audit: not known, the registry does not answer that');
} else {
  const { total } = answer.metadata.vulnerabilities;
  console.log(`npm audit: ${total} known vulnerabilities`);
  for (const [name, { severity, range }] of Object.entries(answer.vulnerabilities))
    console.log(`  ${name} ${range}: ${severity}`);
  process.exitCode = total === 0 ? 0 : 1;
}
