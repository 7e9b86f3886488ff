const server = require("node:http").createServer((_, answer) => answer.end("ok")).listen(Number(process.argv[2]), "127.0.0.1");
process.on("SIGTERM", () => server.close());
