/** What a check of `doctor` is, and what it is given. */
import type { Server } from './locate.js';

/** `note`: no problem, and worth knowing. `skipped`: something is missing, and another check says so. */
export type Mark = 'ok' | 'note' | 'problem' | 'skipped';

/** What a check has found, for one line of the report. */
export type Finding =
  | {
      readonly mark: Exclude<Mark, 'problem'>;
      /** A sentence without a full stop. */
      readonly found: string;
    }
  | {
      readonly mark: 'problem';
      readonly found: string;
      /** What exactly to do. Once it is done, the check finds no problem. */
      readonly remedy: string;
    };

/** The preload that the server is started with. */
export type Preload = 'register' | 'start';

/** The installation that is checked. Checks do not change it. */
export interface Subject {
  /** The environment with which the server would be started. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly preload: Preload;
  /** The user's current folder. */
  readonly folder: string;
  /** The folder or file that the user names. Paperclip is then looked for there only. */
  readonly target?: string | undefined;
  readonly server: Server | undefined;
}

export interface Check {
  /** Its name in JSON. */
  readonly id: string;
  /** Its name in text. */
  readonly title: string;
  /** @returns at least one finding, and one for each problem */
  run(subject: Subject): readonly Finding[] | Promise<readonly Finding[]>;
}

/** The remedy for a fault of `doctor` itself. */
export const REPORT = 'report this, with the text above';

export const ok = (found: string): Finding => ({ mark: 'ok', found });
export const note = (found: string): Finding => ({ mark: 'note', found });
export const skipped = (found: string): Finding => ({ mark: 'skipped', found });
export const problem = (found: string, remedy: string): Finding => ({ mark: 'problem', found, remedy });
