<%@ page contentType="text/plain" %><% Thread.sleep(Long.parseLong(request.getParameter("ms"))); %>served
