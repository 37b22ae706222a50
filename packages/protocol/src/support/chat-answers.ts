import * as z from 'zod';
import { nullable, says, time } from '../answers.ts';

const place = z.int().meta(says('Counted from 1; rises by one.'));

/** One message of the customer's conversation with support. It never changes. */
export const chatMessage = z
  .object({
    id: z.string(),
    place,
    time,
    from: z.enum(['customer', 'staff']),
    staff: nullable(z.string()).meta(
      says('The number of whoever of support wrote it. Customers are never told names of staff.'),
    ),
    text: nullable(z.string()).meta(says('As it was typed: text, never markup.')),
    image: nullable(z.object({ width: z.int(), height: z.int() })).meta(says('Its pixels are chat/image’s.')),
  })
  .meta({ id: 'ChatMessage' });
export type ChatMessage = z.infer<typeof chatMessage>;

/** The state of the conversation. */
export const chatState = z
  .object({
    lastPlace: z.int().meta(says('The newest message’s; 0: nothing has been said.')),
    unread: z.int().meta(says('Messages of staff that the customer has not read.')),
    readPlace: z.int().meta(says('Up to here the customer has read.')),
    staffReadPlace: z.int().meta(says('Up to here staff have read.')),
    agent: nullable(z.string()).meta(says('The number of whoever of support has the conversation now.')),
    typingUntil: nullable(time).meta(says('Staff are typing; believed until then.')),
    waitingSince: nullable(time).meta(says('The first message without an answer.')),
    answerBy: nullable(time).meta(says('What is promised for it, by the office hours; null: nothing waits.')),
    isOpen: z.boolean().meta(says('Whether somebody answers now, by the office hours.')),
    opensAt: nullable(time).meta(says('When they begin again.')),
    answerMinutes: z.int().meta(says('An answer comes within so many minutes of the office hours.')),
    zone: z.string().meta(says('IANA time zone of the hours.')),
    hours: z.array(
      z.object({
        days: z.array(z.int()).meta(says('ISO weekdays: 1 is Monday.')),
        from: z.string(),
        to: z.string().meta(says('HH:MM; at or before `from`: of the next day.')),
      }),
    ),
  })
  .meta({ id: 'ChatState' });
export type ChatState = z.infer<typeof chatState>;
