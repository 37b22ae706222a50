import { useCases } from './queries.ts';

/** How many customers wait for an answer; nothing while that is not known. */
export default function ChatsCount() {
  const waiting = useCases('waiting').data?.pages[0]?.waiting;
  return waiting === undefined ? null : `${waiting}`;
}
