import { type AnyErrorCode, endpoints, errorEntry } from '@fairtick/protocol';
import { errorsOf } from '@fairtick/protocol/documented-errors';
import { type OfficeOperation, type OfficePath, officeOperations } from '@fairtick/protocol/office';
import { officeErrorsOf } from '@fairtick/protocol/office/openapi';

/** Series that begin at 0 when the process starts: an alert sees no increase of one that begins at its first event. */

/** Statuses of an order's answer; the alerts count these. Other paths are shown and not counted. */
export function orderSeries(): readonly { path: string; status: string }[] {
  const statuses = new Set([200, ...errorsOf(endpoints.orderCreate).map((code) => errorEntry(code).http)]);
  return [...statuses].map((status) => ({ path: '/api/order/create', status: String(status) }));
}

export function officeSeries(): readonly { operation: OfficePath; answer: string }[] {
  return Object.entries<OfficeOperation>(officeOperations).flatMap(([operation, declared]) => {
    const codes: readonly AnyErrorCode[] = officeErrorsOf(declared);
    const answers = new Set<string>(['done', 'other', 'TOO_MANY_REQUESTS', ...codes]);
    return [...answers].map((answer) => ({ operation: operation as OfficePath, answer }));
  });
}
