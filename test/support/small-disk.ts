/** A disk of two megabytes, for what happens once it is full. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'small-disk-'));

  /**
   * Throws where nothing can be mounted.
   *
   * @param owner who may use it
   */
  constructor({ uid = 0, gid = 0 }: { uid?: number; gid?: number } = {}) {
    const options = `size=2m,mode=700,uid=${uid},gid=${gid}`;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.folder], { stdio: 'pipe' });
    } catch (error) {
      rmdirSync(this.folder);
      throw error;
    }
  }

  /** Lets the file grow until the disk is full, to the last byte of the file's own last block. */
  fill(name: string): void {
    try {
      for (;;) appendFileSync(join(this.folder, name), '\n'.repeat(4096));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  /** Also while a process that is about to end has a file open on it. */
  remove(): void {
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }
}

/** Why there can be no such disk here, if there cannot. */
export function whyNoSmallDisk(): string | undefined {
  try {
    new SmallDisk().remove();
    return undefined;
  } catch (error) {
    return `no tmpfs can be mounted here: ${(error as Error).message.trim().split('\n').at(-1)}`;
  }
}
