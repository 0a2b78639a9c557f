<%@ page contentType="text/plain" %>served
