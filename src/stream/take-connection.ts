import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Takes the connection of a response whose head is written, and whose body ends with the connection. For Node's HTTP
 * server the request is answered and the connection closed from then on, so that it frees request, response and parser:
 * two thirds of the memory of a stream that stays open for hours.
 */
export function takeConnection(response: ServerResponse): Socket | null {
  const { socket } = response;
  if (socket === null) return null;
  const ofHttp = new Set(socket.listeners('close'));
  // The end of the response would close the connection.
  socket.destroySoon = ignore;
  // It is closed when what was written last has been sent: the client need not end its side.
  socket.on('finish', close);
  response.once('finish', () => {
    // Without `delete`, here and in the list of listeners: the object would take twice the memory.
    socket.destroySoon = Socket.prototype.destroySoon;
    const ours = socket.listeners('close').filter((listener) => !ofHttp.has(listener));
    socket.removeAllListeners();
    for (const listener of ofHttp) listener.call(socket, false);
    for (const listener of ours) socket.on('close', listener as () => void);
    // An error is followed by 'close'. A client that ends its side has left; what else it sends is discarded.
    socket.on('error', ignore);
    socket.on('end', close);
    socket.on('finish', close);
    socket.resume();
  });
  response.end();
  return socket;
}

function ignore(): void {}

function close(this: Socket): void {
  this.destroy();
}
