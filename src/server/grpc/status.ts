import { ServerError, Status } from 'nice-grpc';
import { DropError, ServiceUnavailableError, UserError } from '../../social/refusals.ts';
import { OperationalError } from '../../telemetry/errors.ts';

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

/** The gRPC status of an error. `null`: it is a defect of the program, and belongs into the log. */
export function statusOf(error: unknown, signal: AbortSignal): ServerError | null {
  if (error instanceof ServerError) return error;
  if (signal.aborted) return new ServerError(Status.CANCELLED, 'the call was cancelled or its time is over');
  if (error instanceof UserError) {
    const { code, field } = USER_PROBLEMS[error.problem] ?? { code: Status.INVALID_ARGUMENT };
    return new ServerError(code, field === undefined ? error.message : `${field}: ${error.message}`);
  }
  if (error instanceof DropError) {
    const { field } = error;
    const why = error.message.replace(`${field}: `, '');
    return invalid(WIRE_FIELDS[field] ?? field, why);
  }
  if (error instanceof ServiceUnavailableError && error.why === 'not_offered')
    return new ServerError(Status.UNIMPLEMENTED, error.message);
  if (error instanceof OperationalError && error.kind === 'unavailable')
    return new ServerError(Status.UNAVAILABLE, 'a part that is needed for this does not answer; try again');
  return null;
}

export const OUR_MISTAKE = new ServerError(
  Status.INTERNAL,
  'something went wrong here; the log of the program says more',
);
