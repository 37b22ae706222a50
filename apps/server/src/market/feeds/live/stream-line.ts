import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createParser } from 'eventsource-parser';
import { faultOf, hearRefusal, type LineEvents, MOST_FRAME_BYTES, type OpenLine } from './line.ts';

/** Takes the text of an answer as it comes, in any parts. @throws Error for a frame that is too long */
type Feed = (part: string) => void;

/** Guards in front of a venue may refuse a client that has no name. */
const NAMED = { 'user-agent': 'fairtick', 'accept-encoding': 'identity' };

/** An HTTP answer without an end whose frames are lines of JSON. */
export const openLines: OpenLine = (request, tell) => open(request, tell, linesTo(tell));

/** An HTTP answer without an end whose frames are Server-Sent Events. */
export const openEvents: OpenLine = (request, tell) => open(request, tell, eventsTo(tell));

/** Node's own request, and not `fetch`: it follows no redirect, unpacks nothing, and ends with its socket. */
function open({ url, headers }: Parameters<OpenLine>[0], tell: LineEvents, feed: Feed): ReturnType<OpenLine> {
  let isOpen = false;
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  const request = start(url, { headers: { ...NAMED, ...headers }, agent: false });
  request.on('response', (answer) => {
    if (answer.statusCode !== 200) return hearRefusal(answer, tell);
    isOpen = true;
    tell.opened();
    answer.setEncoding('utf8');
    answer.on('error', () => {});
    answer.on('data', (part: string) => {
      try {
        feed(part);
      } catch (error) {
        tell.fault((error as Error).message);
        request.destroy();
      }
    });
  });
  request.on('error', (error) => tell.fault(faultOf(error)));
  request.on('close', () => {
    isOpen = false;
    tell.closed();
  });
  request.end();
  return {
    get isOpen() {
      return isOpen;
    },
    // A stream hears nothing after its request.
    send: () => {},
    cut: () => request.destroy(),
  };
}

function linesTo(tell: LineEvents): Feed {
  let begun = '';
  return (part) => {
    const [end = '', ...next] = part.split('\n');
    begun += end;
    if (begun.length > MOST_FRAME_BYTES) throw new Error(TOO_LONG);
    for (const line of next) {
      if (begun.trim() !== '') tell.frame(begun);
      begun = line;
    }
  };
}

function eventsTo(tell: LineEvents): Feed {
  const parser = createParser({
    maxBufferSize: MOST_FRAME_BYTES,
    onEvent: ({ event, data }) => (event === 'error' ? tell.fault(`says ${data}`) : tell.frame(data)),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw new Error(TOO_LONG);
    },
  });
  return (part) => parser.feed(part);
}

const TOO_LONG = 'sent a frame of more than 1 MiB';
