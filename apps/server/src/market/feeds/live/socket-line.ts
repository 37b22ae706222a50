import { WebSocket } from 'ws';
import { faultOf, hearRefusal, MOST_FRAME_BYTES, type OpenLine } from './line.ts';

/** Ends that say nothing: a normal one, the server going away, and those without a code. */
const USUAL_ENDS: readonly number[] = [1000, 1001, 1005, 1006];

/** A WebSocket. Redirects are not followed. */
export const openSocket: OpenLine = ({ url, headers }, tell) => {
  const socket = new WebSocket(url, {
    headers,
    maxPayload: MOST_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  });
  socket.on('open', () => tell.opened());
  socket.on('message', (data) => tell.frame(data.toString()));
  socket.on('unexpected-response', (_request, answer) => hearRefusal(answer, tell));
  socket.on('error', (error) => tell.fault(faultOf(error)));
  socket.on('close', (code, reason) => {
    if (!USUAL_ENDS.includes(code)) tell.fault(`closes with ${code} ${reason.toString()}`.trim());
    tell.closed();
  });
  return {
    get isOpen() {
      return socket.readyState === WebSocket.OPEN;
    },
    send: (text) => socket.send(text),
    cut: () => socket.terminate(),
  };
};
