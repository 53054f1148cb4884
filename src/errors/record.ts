/** The format of an error record: `schemaVersion` 2 of the public data set of Paperclip's errors. */
import * as z from 'zod';

const nonEmpty = z.string().min(1);

/**
 * One error record, `schemaVersion` 2. Fields that this package does not use are allowed and kept.
 *
 * An error matches the record when `messagePattern` (a JavaScript regular expression, unanchored) matches
 * its message, or, where there is no pattern, when the message equals `errorMessage`.
 */
export const ErrorRecordSchema = z
  .looseObject({
    schemaVersion: z.literal(2),
    /** Short name of the error, unique in a catalog. */
    slug: nonEmpty,
    /** The message as a fixed text, if it has no variable part. */
    errorMessage: nonEmpty.nullish(),
    messagePattern: nonEmpty
      .refine(isRegularExpression, { error: 'is not a valid regular expression' })
      .nullish(),
    /** Kind of the error; becomes `error.type`. */
    backgroundTag: nonEmpty
      .max(64)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, { error: 'may hold letters, digits, ".", "_" and "-" only' }),
    /** How callers handle the error, in the data set's words. */
    handlingStrategy: nonEmpty.nullish(),
    /** Where the record is from: `derived` for those of this package that extend a tag to a sibling message. */
    origin: nonEmpty.nullish(),
  })
  .refine((record) => record.errorMessage != null || record.messagePattern != null, {
    error: 'needs errorMessage or messagePattern',
    path: ['messagePattern'],
  });

/** One error record; see {@link ErrorRecordSchema}. */
export type ErrorRecord = z.infer<typeof ErrorRecordSchema>;

function isRegularExpression(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
