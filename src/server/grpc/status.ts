import { ServerError, Status } from 'nice-grpc';

/** The request makes no sense; the field is named as the proto file spells it (C19). */
export function invalid(field: string, why: string): ServerError {
  return new ServerError(Status.INVALID_ARGUMENT, `${field}: ${why}`);
}

export function denied(why: string): ServerError {
  return new ServerError(Status.PERMISSION_DENIED, why);
}

/** Fields of a new drop as the wire spells them. */
const WIRE_FIELDS: Readonly<Record<string, string>> = {
  userId: 'user_id',
  itemKey: 'item_key',
  dedupeKey: 'idempotency_key',
};

const USER_PROBLEMS: Readonly<Record<string, { readonly code: Status; readonly field?: string }>> = {
  unknown: { code: Status.NOT_FOUND },
  taken: { code: Status.ALREADY_EXISTS },
  blocked: { code: Status.FAILED_PRECONDITION },
  bad_name: { code: Status.INVALID_ARGUMENT, field: 'name' },
};

/**
 * What a caller is told about an error. Refusals are known by their names, since the server knows the rest of the
 * program by its types alone. `null`: it is nobody's mistake but ours, and belongs into the log.
 */
export function statusOf(error: unknown, signal: AbortSignal): ServerError | null {
  if (error instanceof ServerError) return error;
  if (signal.aborted) return new ServerError(Status.CANCELLED, 'the call was cancelled or its time is over');
  if (!(error instanceof Error)) return null;
  if (error.name === 'UserError' && 'problem' in error) {
    const { code, field } = USER_PROBLEMS[String(error.problem)] ?? { code: Status.INVALID_ARGUMENT };
    return new ServerError(code, field === undefined ? error.message : `${field}: ${error.message}`);
  }
  if (error.name === 'DropError' && 'field' in error) {
    const field = String(error.field);
    const why = error.message.replace(`${field}: `, '');
    return invalid(WIRE_FIELDS[field] ?? field, why);
  }
  if ('why' in error && error.why === 'not_offered')
    return new ServerError(Status.UNIMPLEMENTED, error.message);
  if (/(Unavailable|Busy)Error$/.test(error.name))
    return new ServerError(Status.UNAVAILABLE, 'a part that is needed for this does not answer; try again');
  return null;
}

export const OUR_MISTAKE = new ServerError(
  Status.INTERNAL,
  'something went wrong here; the log of the program says more',
);
