// Opens streams and reads them, in a process of its own: its memory and its time are not measured.
import { connect } from 'node:net';

const [port = '0', count = '0'] = process.argv.slice(2);
let open = 0;
for (let n = 0; n < Number(count); n++) {
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.on('connect', () => socket.write(`GET /${n} HTTP/1.1\r\nHost: bench\r\n\r\n`));
  socket.once('data', () => {
    open += 1;
    if (open === Number(count)) process.send?.('open');
  });
  socket.on('data', () => {});
  socket.on('error', (error) => {
    // Later ones are the end of the measurement; without this one it would wait for ever.
    if (open < Number(count)) throw error;
  });
  if (n % 200 === 199) await new Promise((resolve) => setTimeout(resolve, 10));
}
process.once('disconnect', () => process.exit(0));
