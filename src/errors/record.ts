/** The format of an error record: `schemaVersion` 2 of the public data set of Paperclip's errors. */

/**
 * One error record. Fields that this package does not use are allowed and kept.
 *
 * An error matches the record when `messagePattern` matches its message, or, where there is no pattern, when the
 * message equals `errorMessage`. A record has at least one of the two.
 */
export interface ErrorRecord {
  readonly schemaVersion: 2;
  /** Short name of the error, unique in a catalog. */
  readonly slug: string;
  /** The message as a fixed text, if it has no variable part. */
  readonly errorMessage?: string | null | undefined;
  /** A JavaScript regular expression, unanchored. */
  readonly messagePattern?: string | null | undefined;
  /** Kind of the error; becomes `error.type`. */
  readonly backgroundTag: string;
  /** How callers handle the error, in the data set's words. */
  readonly handlingStrategy?: string | null | undefined;
  /** Where the record is from: `derived` for those of this package that extend a tag to a sibling message. */
  readonly origin?: string | null | undefined;
  readonly [field: string]: unknown;
}
