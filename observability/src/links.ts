/** Where things are found from outside. */
import { PACKAGE_NAME } from '../../src/version.js';

/** The documentation as it is published with the package; a repository's address would do as well. */
const DOCS = `https://unpkg.com/${PACKAGE_NAME}/docs`;

/** @param page name of the page in `docs/runbooks/`, without the extension */
export function runbookUrl(page: string): string {
  return `${DOCS}/runbooks/${page}.md`;
}
