import type { ErrorCode } from '@fairtick/protocol';
import { RefusalError } from '../../platform/http/context.ts';

/** A refusal that is about one field, or about none. */
export function refusalOf(
  code: ErrorCode,
  field: string | null = null,
  parameters: Readonly<Record<string, string>> = {},
): RefusalError {
  return new RefusalError(code, { parameters, fields: field === null ? {} : { [field]: code } });
}
