import { useCases } from './queries.ts';

/** The number of customers waiting for an answer; empty while unknown. */
export default function ChatsCount() {
  const waiting = useCases('waiting').data?.pages[0]?.waiting;
  return waiting === undefined ? null : `${waiting}`;
}
