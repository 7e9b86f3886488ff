// Asks a Scouter server what it has stored in the last hour, as its clients do: prints how many
// XLogs, and how many calls of methods in their profiles.

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import scouter.io.DataInputX;
import scouter.io.DataOutputX;
import scouter.lang.pack.MapPack;
import scouter.lang.pack.Pack;
import scouter.lang.pack.XLogPack;
import scouter.lang.pack.XLogProfilePack;
import scouter.lang.step.MethodStep;
import scouter.lang.step.Step;
import scouter.net.NetCafe;
import scouter.net.RequestCmd;
import scouter.net.TcpFlag;
import scouter.util.CipherUtil;
import scouter.util.DateUtil;

public final class Stored {
    private final DataInputX in;
    private final DataOutputX out;
    private long session;

    private Stored(Socket server) throws IOException {
        in = new DataInputX(new BufferedInputStream(server.getInputStream()));
        out = new DataOutputX(new BufferedOutputStream(server.getOutputStream()));
        out.writeInt(NetCafe.TCP_CLIENT);
    }

    public static void main(String[] address) throws IOException {
        try (Socket server = new Socket(address[0], Integer.parseInt(address[1]))) {
            server.setSoTimeout(20_000);
            var stored = new Stored(server);
            stored.login();
            int calls = 0;
            List<Pack> xlogs = stored.xlogs();
            for (Pack xlog : xlogs) {
                calls += stored.calls((XLogPack) xlog);
            }
            System.out.println(xlogs.size() + " " + calls);
        }
    }

    /** Every server has this account to begin with. */
    private void login() throws IOException {
        var who = new MapPack();
        who.put("id", "admin");
        who.put("pass", CipherUtil.sha256("admin"));
        who.put("version", "tracetax");
        who.put("hostname", "localhost");
        who.put("ip", "127.0.0.1");
        session = ((MapPack) ask(RequestCmd.LOGIN, who).get(0)).getLong("session");
        if (session == 0) {
            throw new IOException("the server lets nobody in");
        }
    }

    private List<Pack> xlogs() throws IOException {
        var when = new MapPack();
        when.put("stime", System.currentTimeMillis() - 3_600_000);
        when.put("etime", System.currentTimeMillis() + 60_000);
        return ask(RequestCmd.SEARCH_XLOG_LIST, when);
    }

    private int calls(XLogPack xlog) throws IOException {
        var which = new MapPack();
        which.put("date", DateUtil.yyyymmdd(xlog.endTime));
        which.put("txid", xlog.txid);
        which.put("max", 100);
        int n = 0;
        for (Pack profile : ask(RequestCmd.TRANX_PROFILE, which)) {
            for (Step step : Step.toObjects(((XLogProfilePack) profile).profile)) {
                if (step instanceof MethodStep) {
                    n++;
                }
            }
        }
        return n;
    }

    private List<Pack> ask(String command, Pack parameter) throws IOException {
        out.writeText(command);
        out.writeLong(session);
        out.writePack(parameter);
        out.flush();
        var packs = new ArrayList<Pack>();
        byte flag;
        while ((flag = in.readByte()) == TcpFlag.HasNEXT) {
            packs.add(in.readPack());
        }
        if (flag != TcpFlag.NoNEXT) {
            throw new IOException(command + " is answered with " + flag);
        }
        return packs;
    }
}
