/** What a check of `doctor` is, and what it looks at. */
import type { Server } from './locate.js';

/** `note`: right, and worth knowing. `skipped`: what it depends on is missing, and another check says so. */
export type Mark = 'ok' | 'note' | 'problem' | 'skipped';

/** One line about one thing. */
export type Finding =
  | {
      readonly mark: Exclude<Mark, 'problem'>;
      /** A sentence without a full stop. */
      readonly found: string;
    }
  | {
      readonly mark: 'problem';
      readonly found: string;
      /** What to do, exactly: with it done, the check finds no problem. */
      readonly remedy: string;
    };

/** The preload with which the server is started. */
export type Preload = 'register' | 'start';

/** The installation that is looked at. Nothing in it is changed. */
export interface Subject {
  /** The environment with which the server would be started. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly preload: Preload;
  /** Where the user is. */
  readonly folder: string;
  /** The folder or file that the user names: Paperclip is looked for there, and nowhere else. */
  readonly target?: string | undefined;
  readonly server: Server | undefined;
}

/** A check answers with at least one finding, and with one for each problem. */
export interface Check {
  /** In JSON. */
  readonly id: string;
  /** In text. */
  readonly title: string;
  run(subject: Subject): readonly Finding[] | Promise<readonly Finding[]>;
}

/** The remedy of what should not be. */
export const REPORT = 'report this, with the text above';

export const ok = (found: string): Finding => ({ mark: 'ok', found });
export const note = (found: string): Finding => ({ mark: 'note', found });
export const skipped = (found: string): Finding => ({ mark: 'skipped', found });
export const problem = (found: string, remedy: string): Finding => ({ mark: 'problem', found, remedy });
