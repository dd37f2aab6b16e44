import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What Node's HTTP server listens to on a connection. */
const HTTP_EVENTS = ['data', 'end', 'drain', 'error', 'timeout', 'pause', 'resume'];

/**
 * Takes the connection of a response whose head is written, and whose body ends with the connection. For Node's HTTP
 * server the request is answered and the connection closed from then on, so that it frees request, response and parser:
 * two thirds of the memory of a stream that stays open for hours.
 */
export function takeConnection(response: ServerResponse): Socket | null {
  const { socket } = response;
  if (socket === null) return null;
  const closeListeners = socket.listeners('close');
  // The end of the response would close the connection.
  socket.destroySoon = () => {};
  // It is closed when what was written last has been sent: the client need not end its side.
  socket.once('finish', close);
  response.once('finish', () => {
    for (const event of HTTP_EVENTS) socket.removeAllListeners(event);
    // An instance property, which hides the method.
    Reflect.deleteProperty(socket, 'destroySoon');
    for (const listener of closeListeners) {
      socket.off('close', listener as () => void);
      listener.call(socket, false);
    }
    // An error is followed by 'close'. A client that ends its side has left; what else it sends is discarded.
    socket.on('error', ignore);
    socket.on('end', close);
    socket.resume();
  });
  response.end();
  return socket;
}

function ignore(): void {}

function close(this: Socket): void {
  this.destroy();
}
